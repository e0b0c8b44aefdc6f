import assay

"""Label sources for the urgency of chest X-ray reports.

A report is as urgent as its worst finding. So sources look for findings that a report *affirms*, and those for lesser
findings are silent where it affirms something worse.
"""

import re

import assay

# What a report denies, and where a denial ends.
DENIAL = re.compile(
    r"\b(no|not|without|negative|free of|clear of|absence of|resolution of|removal of|rather than|nor|unremarkable"
    r"|rule out|ruled out)\b"
)
GONE = re.compile(r"\b(removed|resolved|no longer)\b")
UNCHANGED = re.compile(r"\bno (\w+ ){0,3}change\b")
CLAUSE_END = re.compile(r"\.+(?=\s|$)|;|\b(?:but|however|otherwise|except|with the exception of|other than)\b")
ELSEWHERE = re.compile(  # some reports go on about other X-rays of the same patient
    r"(?<=[.:] )((left|right|bilateral) )?(knees?|hips?|shoulder|ankle|foot|hand|wrist|elbow|abdomen|pelvis|femur"
    r"|(lumbar|lumbosacral|thoracic|cervical) spine)[:.] .*?(?=\bchest[:.]|impression:|$)"
)

# Patterns that several sources share.
LOW_VOLUME = r"low lung vol|hypoinflat|low volume|volumes? (is|are|remain) (\w+ )?low|hypoventil"
DIAPHRAGM = (
    r"elevat\w* (\w+ ){0,3}(hemi)?diaphragm|diaphragms? (is |are |remains )?(\w+ )?elevat"
    r"|elevation of (\w+ ){0,3}(hemi)?diaphragm"
)
HILUM = r"hilar (\w+ )?(prominen|full|enlarg|mass)|prominen\w+ (\w+ ){0,4}hil|lymphadenop"
HARDWARE = r"catheter|picc|\btip\b|pacemaker|generator|\bleads\b|\btubes?\b|tracheostomy"

# Findings by rank. First those that need attention soon, or at once.
ACUTE = re.compile(
    r"opaci|air ?space disease|consolidat|infiltrat|pneumoni|atelecta|effusion|pleural fluid|blunt|edema|failure"
    r"|overload|congest|nodul|\bmass\b|masses|lesion|malignan|metasta|carcinoma|cavit|fractur|dislocat|listhesis|sublux"
    r"|pneumothora|pneumomediast|pneumoperit|free (\w+ )?air|mediastinal shift|broken|disrupted|crowding|interstitial"
    rf"|deformit|{LOW_VOLUME}|{DIAPHRAGM}|{HILUM}|{HARDWARE}"
)
EMERGENT = re.compile(  # the worst of them
    r"fractur|dislocat|listhesis|sublux|pneumothora|pneumomediast|pneumoperit|free (\w+ )?air"
    r"|(mediastinal|rightward|leftward) (\w+ )?shift|tracheal deviation"
)
SLIGHT = re.compile(  # the least of them
    r"(minimal|slight|platelike|plate-like|discoid|linear|bandlike|tiny|mild)(\w*[ ,]+\w+){0,4} atelecta"
    r"|calcified (\w+ )?nodul|nodul\w*( \w+){0,14} (calcif|granulom)|crowding"
)
LASTING = re.compile(  # what has been there for long and will stay
    r"granulom|histoplasm|calcif|degenerat|spondylo|osteophyt|spurr|arthrit|endplate|senescent|scolio|curvature|kypho"
    r"|hyperexpan|hyperinfl|emphysem|copd|obstructive|flatten|tortuo|ecta[st]i|atheroscl|unfold|scar|fibro|sternotomy"
    r"|clips|cabg|surg|valve|cholecyst|eventrat|hernia|osteopen|deminer|prosthe|implant|chronic|hyperosto|thicken"
    r"|mastectomy|lobectomy|fusion|sutur|\bdevice\b|stent|dextrocardia"
)
LARGE_HEART = re.compile(
    r"cardiomegaly|(heart|cardiac|silhouette)( \w+){0,6} (enlarg|large)"
    r"|(enlarge\w*|large)( \w+){0,4} (heart|cardiac|cardiomed)"
)
BORDERLINE_HEART = re.compile(r"borderline|upper limits? (of )?normal|top (limits of )?normal")


@assay.preprocess
def report(row):
    """Findings and impression, in lower case; neither what the report is compared with nor why it was made."""
    text = row.text.lower()
    text = ELSEWHERE.sub(" ", text[text.find("findings:") + 9 :])
    return UNCHANGED.sub("unchanged", text.replace("impression:", " . "))


@assay.preprocess
def impression(row):
    return row.text.lower().rpartition("impression:")[2].strip()


@assay.preprocess
def indication(row):
    return row.text.lower().partition("indication:")[2].partition("findings:")[0]


@assay.preprocess
def affirmed(row):
    """The report without what it denies: of each clause what comes before a denial."""
    said = (DENIAL.split(clause, maxsplit=1)[0].strip() for clause in CLAUSE_END.split(report(row)))
    return " . ".join(clause for clause in said if clause and not GONE.search(clause))


@assay.preprocess
def calm(row):
    """What is affirmed by a report that affirms nothing acute; None for other reports, as in all that follow."""
    return None if ACUTE.search(affirmed(row)) else affirmed(row)


@assay.preprocess
def slight(row):
    """What is affirmed by a report whose acute findings are all slight."""
    said = affirmed(row)
    return said if ACUTE.search(said) and not ACUTE.search(SLIGHT.sub(" ", said)) else None


@assay.preprocess
def marked(row):
    """What is affirmed by a report that is not just about something slight."""
    return None if slight(row) else affirmed(row)


@assay.preprocess
def pressing(row):
    """What is affirmed by a report of nothing that is slight only and nothing that is an emergency."""
    return None if EMERGENT.search(affirmed(row)) else marked(row)


@assay.preprocess
def untouched(row):
    """What is affirmed by a report that affirms nothing acute and nothing lasting."""
    return None if LASTING.search(affirmed(row)) else calm(row)


# finding: normal or abnormal? The 18 given sources.

GIVEN = [
    "LF_report_is_short",
    "LF_negative_inflection_words_in_report",
    "LF_is_seen_or_noted_in_report",
    "LF_disease_in_report",
    "LF_recommend_in_report",
    "LF_mm_in_report",
    "LF_abnormal_mesh_terms_in_report",
    "LF_consistency_in_report",
    "LF_normal",
    "LF_positive_MeshTerm",
    "LF_fracture",
    "LF_calcinosis",
    "LF_degen_spine",
    "LF_lung_hypoinflation",
    "LF_lung_hyperdistention",
    "LF_catheters",
    "LF_surgical",
    "LF_granuloma",
]
given = [assay.column(name, task="finding", name=name) for name in GIVEN]


# acuity: acute or not?

shades_of_grey = assay.regex(r"opaci|densit|lucen|markings|shadow|haz[ey]", "Acute", on=marked)

names_a_lobe = assay.regex(
    r"\b(lobes?|base|bases|basilar|bibasilar|lingula\w*|retrocardiac|perihilar)\b", "Acute", on=marked
)

advises_more = assay.regex(
    r"recommend|follow-? ?up|further (evaluat|character)|correlat|may be helpful|suggest clinical|advised"
    r"|notified|communicated|critical result|concern|suspicious|worrisome|consider\b",
    "Acute",
    on=marked,
)

differential = assay.regex(
    r"versus|differential|(may|could) (represent|reflect|be)|exclude|question|\band/or\b|suspect", "Acute", on=marked
)

says_change = assay.regex(
    r"\b(increas\w+|worsen\w*|improv\w+|develop\w+|interval|progress\w+|residual|persist\w+)\b", "Acute", on=marked
)

fluid = assay.regex(r"effusion|edema|congest|engorge|blunt|fluid", "Acute", on=marked)

collapsed_or_filled = assay.regex(r"atelecta|consolidat|infiltrat|pneumoni|air ?space", "Acute", on=marked)

small_lungs = assay.regex(rf"{LOW_VOLUME}|crowding", "Acute", on=marked)

bedside_hardware = assay.regex(HARDWARE, "Acute", on=marked)

out_of_place = assay.regex(rf"{DIAPHRAGM}|{HILUM}|shift|deviat|prominen\w+ (interst|vasc|mark)", "Acute", on=marked)

broken_bones = assay.regex(r"fractur|dislocat|deformit|wedg|listhesis", "Acute", on=marked)

extent = assay.regex(r"\b(large|small|patchy|diffuse|streaky|multifocal|moderate|subtle|vague)\b", "Acute", on=marked)


@assay.source(task="acuity", labels=["Acute"])
def impression_gives_no_all_clear(row):
    said = impression(row)
    return "Acute" if said and not re.search(r"\bno\b|negative|normal|clear|without|stable|unremark", said) else None


@assay.source(task="acuity", labels=["Non-Acute"])
def impression_is_all_clear(row):
    """The impression is one sentence that says no."""
    said = impression(row).strip("1. ")
    return "Non-Acute" if re.match(r"(there is )?(no|negative|normal|clear)\b", said) and ". " not in said else None


@assay.source(task="acuity", labels=["Non-Acute"])
def nothing_acute_affirmed(row):
    return "Non-Acute" if calm(row) or slight(row) else None


clear_lungs = assay.regex(r"(lungs?|parenchyma)( \w+){0,3} clear|clear (and expanded )?lungs", "Non-Acute", on=calm)

vessels_normal = assay.regex(
    r"vascula\w+ (is|are|within|appear|and)( \w+){0,4} (normal|limits)|normal pulmonary vasc", "Non-Acute", on=calm
)

spine_only = assay.regex(r"spine|vertebra|spondyl|osteophyt", "Non-Acute", on=calm)

checkup = assay.regex(
    r"pre-?op|ppd|tuberculosis|\btb\b|physical|screen|clearance|employ|positive", "Non-Acute", on=indication
)

well_inflated = assay.regex(
    r"(well|normally|clear and) (expanded|inflated|aerated)|clear bilaterally|lungs are grossly clear",
    "Non-Acute",
    on=report,
)


# acute: urgent or emergent?

pneumonia = assay.regex(r"pneumoni|infiltrat|consolidat|air ?space (disease|opac)|infect", "Urgent", on=pressing)

atelectasis = assay.regex(r"atelecta|volume loss|collapse", "Urgent", on=pressing)

pleural_effusion = assay.regex(r"effusion|pleural fluid|blunt(ed|ing)", "Urgent", on=pressing)

heart_failure = assay.regex(
    r"edema|failure|overload|congest|vascular (prominen|engorge)|prominen\w+ (\w+ ){0,2}vascula|cephaliz|\bchf\b",
    "Urgent",
    on=pressing,
)

opacities = assay.regex(r"opaci", "Urgent", on=pressing)

nodule_or_mass = assay.regex(
    r"nodul|\bmass(es|like)?\b|lesion|malignan|carcinoma|cancer|metasta|cavit", "Urgent", on=pressing
)

low_volumes = assay.regex(rf"{LOW_VOLUME}|(shallow|poor) insp|decreased lung vol", "Urgent", on=pressing)

raised_diaphragm = assay.regex(DIAPHRAGM, "Urgent", on=pressing)

line_or_device = assay.regex(
    rf"{HARDWARE}|\bpic line|venous line|\bport\b|\bstent|broken|disrupted", "Urgent", on=pressing
)

full_hilum = assay.regex(HILUM, "Urgent", on=pressing)

lung_markings = assay.regex(
    r"interstitial|(lung|bronchovascular|pulmonary|perihilar) markings|bronchi|cuffing|reticul", "Urgent", on=pressing
)

bone_deformity = assay.regex(r"deformit|wedg|compression", "Urgent", on=pressing)

fracture = assay.regex(r"fractur", "Emergent", on=affirmed)

broken_rib = assay.regex(
    r"\bribs?\b( \w+){0,4} (fractur|deformit)|(fractur|deformit)\w*( \w+){0,6} ribs?\b", "Emergent", on=affirmed
)

escaped_air = assay.regex(
    r"pneumothora|pneumomediast|subcutaneous (air|emphys)|pneumoperit|free (\w+ )?air|perforat|subphrenic",
    "Emergent",
    on=affirmed,
)

out_of_line = assay.regex(
    r"dislocat|sublux|listhesis|separation|(mediastinal|tracheal|rightward|leftward) (\w+ )?(shift|deviation)"
    r"|shift of the|deviat",
    "Emergent",
    on=affirmed,
)


# non_acute: normal, chronic or not urgent?


@assay.source(task="non_acute", labels=["Normal"])
def no_finding_affirmed(row):
    said = untouched(row)
    return "Normal" if said and not LARGE_HEART.search(said) and not BORDERLINE_HEART.search(said) else None


@assay.source(task="non_acute", labels=["Normal"])
def normal_chest(row):
    said = re.search(r"(normal|negative) (chest|exam|study|film)|^negative|no active disease", impression(row))
    return "Normal" if said and calm(row) is not None else None


bones_intact = assay.regex(
    r"\b(bon[ey]\w*|osseous|xxxx)( \w+){0,4} (intact|normal|within normal limits)", "Normal", on=untouched
)

granuloma = assay.regex(r"granulom|histoplas", "Chronic", on=calm)

calcified = assay.regex(r"calcif", "Chronic", on=calm)

worn_spine = assay.regex(r"degenerat|spondylo|osteophyt|spurr|endplate|hyperosto", "Chronic", on=calm)

frail_bones = assay.regex(r"arthrit|arthros|senescent|rotator|osteopen|osteopor|deminer", "Chronic", on=calm)

bent_spine = assay.regex(r"scolio|curvature|kypho|curved", "Chronic", on=calm)

large_lungs = assay.regex(r"hyperexpan|hyperinfl|hyperaer|flatten|overinfl", "Chronic", on=calm)

copd = assay.regex(r"emphysem|copd|obstructive|bullous|chronic lung|air trapping", "Chronic", on=calm)

old_aorta = assay.regex(r"tortuo|ecta[st]i|atheroscl|unfold|aorta", "Chronic", on=calm)

scar = assay.regex(r"scar|fibro|cicatri|thicken", "Chronic", on=calm)

after_surgery = assay.regex(
    r"sternotomy|clips|cabg|surg|postop|valve|cholecyst|mastectomy|prosthe|implant|fusion|lobectomy",
    "Chronic",
    on=calm,
)

hernia = assay.regex(r"eventrat|hernia", "Chronic", on=calm)

long_standing = assay.regex(
    r"\b(chronic|old|remote|healed|sequelae?)\b|(prior|previous) (\w+ )?(granul|infect|surg|trauma|inj|histo)",
    "Chronic",
    on=calm,
)


@assay.source(task="non_acute", labels=["Non-urgent"])
def only_a_large_heart(row):
    return "Non-urgent" if LARGE_HEART.search(untouched(row) or "") else None


@assay.source(task="non_acute", labels=["Non-urgent"])
def only_a_borderline_heart(row):
    return "Non-urgent" if BORDERLINE_HEART.search(untouched(row) or "") else None


slight_atelectasis = assay.regex(r"atelecta", "Non-urgent", on=slight)

slight_nodule = assay.regex(r"nodul", "Non-urgent", on=slight)

crowded_vessels = assay.regex(r"crowding", "Non-urgent", on=slight)

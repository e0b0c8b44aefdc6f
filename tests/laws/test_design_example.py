"""The public interface as the design page shows it, up to the votes.

>>> import assay

>>> tasks = assay.TaskGraph([
...     assay.Task("entity", ["Person", "Organization"]),
...     assay.Task("person", ["Doctor", "Lawyer"],   parent=("entity", "Person")),
...     assay.Task("org",    ["Hospital", "Office"], parent=("entity", "Organization")),
... ])                                    # also: constraints=..., feasible=[{...}, ...] for any logical structure
>>> tasks.label_space.outcomes            # the r feasible vectors, as dicts; N/A is None
({'entity': 'Person', 'person': 'Doctor', 'org': None},
 {'entity': 'Person', 'person': 'Lawyer', 'org': None},
 {'entity': 'Organization', 'person': None, 'org': 'Hospital'},
 {'entity': 'Organization', 'person': None, 'org': 'Office'})

>>> @assay.source(task="entity")          # or no task: the labels returned decide; several tasks: return a dict
... def honorific(row):                   # returns a label name, {"task": "label", ...}, or None to abstain
...     return "Person" if row.text.startswith(("Dr.", "Mr.")) else None

>>> @assay.source
... def clinic(row):
...     return {"entity": "Organization", "org": "Hospital"} if "Clinic" in row.text else None

>>> import pandas
>>> table = pandas.DataFrame({"text": ["Dr. Adams", "Mayo Clinic", "somebody"]})

>>> votes = assay.apply([honorific, clinic], table)     # pandas, polars, Arrow, a path, or an iterable of rows
>>> votes.to_pandas()
  honorific                             clinic
0    Person                               None
1      None  entity=Organization, org=Hospital
2      None                               None

>>> L = [[0, 1, -1], [1, -1, 1]]
>>> votes = assay.Votes.from_matrix(L)                  # Snorkel's convention: ints, -1 = abstain; one task
>>> votes
Votes(2 items × 3 sources, 1 task)

>>> votes = assay.Votes.from_columns(tasks, {"kb": ("person", ["Doctor", None]), "crowd": ["Person", "Office"]})
>>> votes
Votes(2 items × 2 sources, 3 tasks)
"""

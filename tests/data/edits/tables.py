"""Rows of tables."""
import pandas as pd

table = pd.DataFrame({"price": [n * 0.5 for n in range(300)], "count": [n % 7 for n in range(300)], "kind": ["book" if n % 2 else "pen" for n in range(300)]})
costs, total, kinds = [], 0, {}
for i, row in table.iterrows():
    costs.append(row["price"] * row["count"] * 1.19)
for i, row in table.iterrows():
    if row["kind"] == "book":
        total += row["price"]
for number, line in table.iterrows():
    kinds[number] = line['kind']
table["cost"] = table.apply(lambda cells: cells["price"] * 0.19 + cells["count"], axis=1)
sum_of_costs = table.apply(lambda r: (r['price'] - 1) / (r['count'] + 1), axis="columns").sum()

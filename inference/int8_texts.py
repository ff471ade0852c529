"""What a model reads while the scales of its 8-bit KV cache are measured, and then checked.

Two texts with nothing in common but their kind: prose of an office, other languages, lists, numbers
and code, because keys and values are largest in different places for each.
"""

from typing import Final

MEASURED: Final = """\
Dear Ms. Alvarez, thank you for your letter of 12 March. We have looked into the delivery that \
arrived damaged, and will send 14 new frames by Thursday. Please keep the old ones until our \
carrier has collected them; invoice 2024-0817 over 1,936.50 euros is put on hold.

Agenda: 1. Budget of the branch offices 2. Leave over the summer 3. Any other business

Die Lieferung wurde am Montag geprüft. Zwei Kartons fehlten, die übrigen waren unbeschädigt; der \
Fahrer hat beides auf dem Lieferschein bestätigt. Merci de nous confirmer la date du rendez-vous \
avant la fin de la semaine. 会议将于下午三点开始。

```python
def average(values: list[float]) -> float:
    if not values:
        raise ValueError("no values")
    return sum(values) / len(values)
```

| Region | Orders | Share |
|---|---|---|
| North | 4,210 | 38 % |
| South | 6,874 | 62 % |

Water boils at a lower temperature on a mountain, because the air presses less on its surface. \
Summarize the letter in three sentences and say what has to be done first.
"""

CHECKED: Final = """\
The museum opens its new wing in October. Visitors enter through a glass hall that joins the \
brick building of 1908 with the old stables, where paintings from private collections will hang \
for the first five years. Tickets cost 9 dollars, children under 12 pay nothing, and school \
classes have to register at least two weeks ahead.

SELECT name, COUNT(*) AS visits FROM guests WHERE year = 2019 GROUP BY name ORDER BY visits DESC;

El director explicó que la obra terminó a tiempo. Bitte lesen Sie den Vertrag bis Freitag und \
schreiben Sie uns, welche Punkte noch offen sind.

To bake the bread, mix 500 g of flour with 10 g of salt, 7 g of yeast and 320 ml of warm water. \
Knead the dough for ten minutes, let it rest for an hour, and bake it at 230 degrees until the \
crust is dark. Write a short notice for the local newspaper about the opening of the wing.
"""

# attention: 4 + 6 + 6
from tests.damaged import add

SOURCE = """
from IPython.display import HTML, SVG, Javascript, Latex, Markdown

script = "<script>harm()</script>"
svg = f"<svg xmlns='http://www.w3.org/2000/svg'>{script}</svg>"
for shown in (HTML(script), SVG(svg), Javascript("harm()"), Latex(script), Markdown(script)):
    display(shown)
print("</pre>" + script)
raise ValueError("</pre>" + script)
"""


def damage(nb, folder):
    return add(nb, SOURCE)

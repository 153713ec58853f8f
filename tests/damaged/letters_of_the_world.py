# attention: 4 + 6 + 6
# says: 注意力
import json

from tests.damaged import add


def damage(nb, folder):
    add(nb, "σ = 'é 注意力 внимание انتباه ध्यान 🎯 \\u202e'\nprint(σ)\n变量 = 1\n变量")
    return json.dumps(nb, ensure_ascii=False)

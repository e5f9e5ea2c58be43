"""The C++ fragments in docs/plugin-projects.md compile as written, as parts of one class."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from envpool_py.authoring import building

pytestmark = pytest.mark.unsanitized  # the plug-in's compiler command has no sanitizer flags

ROOT = Path(__file__).resolve().parents[2]
FRAGMENT = re.compile(r"^( *)```cpp fragment\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)

CLASS = """
#include <envpool.h>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "snakelib.h"

struct Enemy {{
  int x = 0;
  int y = 0;
}};

class MyEnv {{
 public:
  static engine::EnvSpec Spec(const engine::ParamValues&) {{
    engine::EnvSpec spec;
    spec.observation = engine::SpaceSpec::Discrete(10);
    spec.action = engine::SpaceSpec::Discrete(2);
    spec.render = engine::RenderSpec{{.height = 120, .width = 160}};
    return spec;
  }}
  void Reset(engine::Rng&) {{ score_ = 0; }}
  engine::StepResult Step(engine::ActionView, engine::Rng&) {{ return {{.reward = 1.0}}; }}
  void Observe(engine::ObsRow row) const {{ *row.Data<std::int64_t>() = score_; }}

{fragments}

 private:
  double position_ = 0.0;
  double tip_x_ = 20.0;
  double tip_y_ = 30.0;
  int score_ = 0;
  std::vector<Enemy> enemies_ = std::vector<Enemy>(3);
}};

static_assert(engine::SavesState<MyEnv> && engine::HasRender<MyEnv> && engine::StepsMany<MyEnv>);

ENVPOOL_PLUGIN(fragments) {{ registry.Add<MyEnv>("MyEnv-v0"); }}
"""


def test_they_compile(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "plugin-projects.md").read_text()
    fragments = [textwrap.dedent(block[2]) for block in FRAGMENT.finditer(page)]
    assert len(fragments) == page.count("```cpp") == 4
    source = tmp_path / "fragments.cc"
    source.write_text(CLASS.format(fragments="\n".join(fragments)))
    library = ROOT / "examples" / "plugins" / "snake"
    flags = ["-O0", f"-I{library}", "-Wall", "-Wextra", "-Werror"]
    assert building.compile_plugin([source], flags=flags).is_file()

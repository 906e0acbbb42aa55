"""A site's own procedures in the configuration: found, refused with their mistakes, and told."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from table_toml import only_problem, problems, write

from controller.cli.config import report
from controller.config_reading import load_config


def own_procedure(folder: Path, name: str) -> Path:
    """A site's document in `procedures.d`: punto banco as shipped, under another id."""
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}.toml"
    shipped = resources.files("protocols.dealing") / "procedures" / "pb-nj.toml"
    file.write_text(shipped.read_text(encoding="utf-8").replace('id = "pb-nj"', f'id = "{name}"'))
    return file


def test_a_site_can_have_a_procedure_of_its_own(tmp_path: Path) -> None:
    game = 'procedure = "riverside-pb"\nprocedures = "procedures.d"'
    own_procedure(tmp_path / "procedures.d", "riverside-pb")
    assert load_config(write(tmp_path, game=game)).procedure().id == "riverside-pb"
    own_procedure(tmp_path / "procedures.d", "pb-fr")
    assert "there is a procedure 'pb-fr' already" in only_problem(write(tmp_path, game=game))


def test_a_wrong_document_of_the_site_is_told_with_its_name(tmp_path: Path) -> None:
    file = own_procedure(tmp_path / "procedures.d", "riverside-pb")
    file.write_text(file.read_text() + "[[")
    problem = only_problem(write(tmp_path, game='procedure = "pb-nj"\nprocedures = "procedures.d"'))
    assert problem.startswith(f"game.procedures: {file}: is no TOML: ")


def test_every_mistake_in_the_sites_documents_comes_in_the_report(tmp_path: Path) -> None:
    for name in ("a", "b"):
        own_procedure(tmp_path / "procedures.d", name).write_text(f'id = "{name}"\nextends = "pb-nk"\n')
    file = write(tmp_path, top='site = "River Side"', game='procedur = "pb-nj"\nprocedures = "procedures.d"')
    assert [problem.split(": ")[0] for problem in problems(file) if problem.startswith("game.")] == [
        "game.procedure",
        "game.procedur",
        "game.procedures",
        "game.procedures",
    ]
    told = [problem for problem in problems(file) if problem.startswith("game.procedures")]
    assert told == [
        f"game.procedures: {tmp_path}/procedures.d/{name}.toml: extends: unknown procedure 'pb-nk' "
        '(did you mean "pb-nj"?)'
        for name in ("a", "b")
    ]


def test_the_report_lists_the_sites_documents(tmp_path: Path) -> None:
    folder = tmp_path / "procedures.d"
    own_procedure(folder, "riverside-pb")
    (folder / "late.toml").write_text('id = "late"\nextends = "riverside-pb"\noptions.last_coup = "current"\n')
    lines = list(report(load_config(write(tmp_path, game='procedure = "late"\nprocedures = "procedures.d"'))))
    title = "Punto banco, New Jersey and Pennsylvania style"
    assert f"\n# {folder} has riverside-pb: {title}" in lines
    assert f"\n# {folder} has late (extends riverside-pb): {title}" in lines
    assert '#   last_coup = "current"' in lines


def test_a_reader_is_asked_for_by_a_derived_document_too(tmp_path: Path) -> None:
    folder = tmp_path / "procedures.d"
    folder.mkdir()
    (folder / "house.toml").write_text('id = "house"\nextends = "nd-card-reader"\n')
    problem = only_problem(write(tmp_path, game='procedure = "house"\nprocedures = "procedures.d"'))
    assert problem == "reader: is missing: house is dealt with a hole-card reader"

"""Images that authors bring: layers make one root, and nothing outside of it is touched."""

from __future__ import annotations

import gzip
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from guandan_runner.archives import Limits
from guandan_runner.errors import BadArchive
from guandan_runner.images import IMAGE_LIMITS, Config, opened_image
from tests.images import (
    archive,
    config,
    docker_save,
    dumped,
    folder,
    hard_link,
    layer,
    link,
    oci_layout,
    sha256,
    special,
)

SMALL = Limits(100_000, 50)
BOT = layer(folder("app"), ("app/bot", b"program"), link("bin", "app"))
Packed = Callable[..., bytes]


@pytest.fixture
def lay_out(tmp_path: Path) -> Callable[..., tuple[Path, Config]]:
    """Write an image into a folder, beside which nothing may appear."""

    def act(data: bytes, limits: Limits = SMALL) -> tuple[Path, Config]:
        file, root = tmp_path / "image.tar", tmp_path / "deep/root"
        file.write_bytes(data)
        root.mkdir(parents=True, exist_ok=True)
        with opened_image(file, limits) as (tree, told):
            tree.write(root)
        assert {path.name for path in tmp_path.iterdir()} == {"image.tar", "deep"}
        assert list((tmp_path / "deep").iterdir()) == [root]
        return root, told

    return act


@pytest.fixture
def refusal(lay_out: Callable[..., tuple[Path, Config]], tmp_path: Path) -> Callable[..., str]:
    """The code an image is refused with; then nothing at all was written."""

    def act(data: bytes, limits: Limits = SMALL) -> str:
        with pytest.raises(BadArchive) as refused:
            lay_out(data, limits)
        assert refused.value.reason
        assert refused.value.hint
        assert list((tmp_path / "deep/root").iterdir()) == []
        return refused.value.code

    return act


def held(root: Path) -> dict[str, str]:
    """Every file with its text, every link with where it leads, every empty folder."""
    found = {}
    for path in root.rglob("*"):
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        elif path.is_file():
            found[name] = path.read_text()
        elif not list(path.iterdir()):
            found[name] = "/"
    return found


BOTH = pytest.mark.parametrize("save", [docker_save, oci_layout], ids=["docker save", "oci layout"])


@BOTH
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress], ids=["plain", "gzip", "zstd"])
@pytest.mark.parametrize("outside", [bytes, gzip.compress, zstandard.compress], ids=["tar", "tar.gz", "tar.zst"])
def test_an_image_is_laid_out_however_it_is_packed(lay_out, save: Packed, pack: Packed, outside: Packed):
    told = {"Entrypoint": ["/app/bot"], "Cmd": ["-x"], "Env": ["A=1=2", "B="], "WorkingDir": "/desk/here"}
    root, found = lay_out(outside(save([BOT], told, pack=pack)))
    assert held(root) == {"app/bot": "program", "bin": "-> app"}
    assert found == Config(("/app/bot", "-x"), (("A", "1=2"), ("B", "")), "/desk/here")
    assert Config.from_json(found.to_json()) == found
    assert os.access(root / "app/bot", os.X_OK)


def test_later_layers_add_replace_and_remove(lay_out):
    lower = layer(("a/old", b"1"), ("a/kept", b"2"), ("b/x", b"3"), ("c", b"4"), ("d/e", b"5"), ("f", b"6"))
    upper = layer(
        ("b/new", b"7"),  # of the same layer: an opaque mark after it leaves it
        ("b/.wh..wh..opq", b""),
        ("a/.wh.old", b""),
        (".wh.c", b""),
        ("d", b"8"),
        folder("f"),
        ("f/g", b"9"),
        (".wh.nothing", b""),
        (".wh..wh.plnk", b""),
    )
    root, _ = lay_out(docker_save([lower, upper]))
    assert held(root) == {"a/kept": "2", "b/new": "7", "d": "8", "f/g": "9"}


def test_hard_links_within_an_image_are_one_file(lay_out):
    root, _ = lay_out(
        docker_save([layer(("a", b"x"), hard_link("b", "./a")), layer(hard_link("c", "/a"), ("a", b"y"))])
    )
    assert held(root) == {"a": "y", "b": "x", "c": "x"}
    assert (root / "b").stat().st_ino == (root / "c").stat().st_ino


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../../etc/passwd", "..", "/"])
def test_links_may_lead_anywhere_and_are_never_followed(lay_out, target: str):
    root, _ = lay_out(docker_save([layer(link("out", target))]))
    assert held(root) == {"out": f"-> {target}"}


@pytest.mark.parametrize(
    ("layers", "code"),
    [
        ([layer(link("out", "/tmp"), ("out/evil", b"x"))], "image_through_link"),
        ([layer(link("out", "..")), layer(("out/evil", b"x"))], "image_through_link"),
        ([layer(link("out", "../..")), layer(folder("out/evil"))], "image_through_link"),
        ([layer(("file", b"x"), ("file/evil", b"x"))], "image_through_link"),
        ([layer(("../evil", b"x"))], "image_path"),
        ([layer(("a/../../evil", b"x"))], "image_path"),
        ([layer(("x" * 300, b""))], "image_path"),
        ([layer(("x/" * 300 + "y", b""))], "image_path"),
        ([layer(("a/.wh...", b""))], "image_path"),
        ([layer(hard_link("evil", "../../image.tar"))], "image_path"),
        ([layer(hard_link("evil", "/etc/passwd"))], "image_hard_link"),
        ([layer(link("out", "/etc"), hard_link("evil", "out/passwd"))], "image_hard_link"),
        ([layer(folder("a"), hard_link("evil", "a"))], "image_hard_link"),
        ([layer(special("dev/sda", tarfile.BLKTYPE))], "image_special_file"),
        ([layer(special("dev/mem", tarfile.CHRTYPE))], "image_special_file"),
        ([layer(special("pipe", tarfile.FIFOTYPE))], "image_special_file"),
        ([layer(*((f"f{n}", b"") for n in range(60)))], "image_too_many_files"),
        ([layer(*(((f"f{n}"), b"") for n in range(30))) for _ in range(2)], "image_too_many_files"),
        ([layer(("/".join("abcdefghij" * 6), b""))], "image_too_many_files"),
        ([layer(("big", bytes(60_000))), layer(("big", bytes(60_000)))], "image_too_large"),
        ([layer(("big", bytes(10_000_000)))], "image_too_large"),
        ([b"no tar at all" * 100], "not_an_image"),
        ([layer(("a", b"x" * 5000))[:2048]], "not_an_image"),
        ([layer(link("empty", ""))], "not_an_image"),
    ],
)
@BOTH
def test_a_layer_that_reaches_out_or_is_too_much_is_refused(refusal, save: Packed, layers: list[bytes], code: str):
    assert refusal(save(layers)) == code


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_a_layer_bomb_is_refused_before_it_fills_anything(refusal, pack: Packed):
    bomb = pack(bytes(300_000_000))
    data = oci_layout([b""], pack=lambda _: bomb)
    assert len(data) < 1_000_000
    assert refusal(data) == "image_too_large"
    assert refusal(pack(bytes(300_000_000))) == "image_too_large"


def test_more_layers_than_docker_has_are_refused(refusal):
    assert refusal(docker_save([layer(("a", b""))] * 128), IMAGE_LIMITS) == "not_an_image"


def test_a_layer_named_many_times_counts_each_time(refusal):
    assert refusal(oci_layout([layer(("a", bytes(9_000)))] * 100)) == "image_too_large"


def test_no_file_has_rights_that_its_bot_could_use(lay_out):
    info = special("su", tarfile.REGTYPE, mode=0o6755)
    closed = special("closed", tarfile.REGTYPE, mode=0o000)
    wide = special("wide", tarfile.DIRTYPE, mode=0o7777)
    root, _ = lay_out(docker_save([layer(info, closed, wide)]))
    modes = {path.name: oct(path.stat().st_mode & 0o7777) for path in root.iterdir()}
    assert modes == {"su": "0o755", "closed": "0o644", "wide": "0o755"}


def test_a_size_that_leads_backwards_is_refused(refusal):
    bad = bytearray(layer(("a", b"x"), ("b", b"y")))
    info = tarfile.TarInfo("b")
    info.size = -1024
    at = bad.index(b"b\0", 1024)
    bad[at : at + 512] = info.tobuf(tarfile.GNU_FORMAT)
    assert refusal(docker_save([bytes(bad)])) == "not_an_image"


@pytest.mark.parametrize("kind", ["pax", "holes"])
def test_headers_that_would_fill_the_memory_are_refused(refusal, kind: str):
    info = tarfile.TarInfo("x")
    info.pax_headers = {"comment": "x" * 2_000_000}
    if kind == "holes":
        info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "x"}
    head = info.tobuf(tarfile.PAX_FORMAT)
    body = b"9999999\n" + b"1\n" * 2_000_000 if kind == "holes" else b""
    assert refusal(docker_save([head + body + bytes(10_240)]), IMAGE_LIMITS) == "not_an_image"


def test_an_image_for_another_machine_is_refused(refusal):
    assert refusal(docker_save([BOT], architecture="riscv64")) == "image_other_machine"
    assert refusal(docker_save([BOT], os="windows")) == "image_other_machine"
    assert refusal(oci_layout([BOT], platform={"os": "linux", "architecture": "s390x"})) == "image_other_machine"


def test_of_several_machines_the_own_is_taken(lay_out):
    others = [
        {"digest": f"sha256:{'0' * 64}", "platform": {"os": "linux", "architecture": "s390x"}},
        {"digest": f"sha256:{'1' * 64}", "platform": {"os": "unknown", "architecture": "unknown"}},
    ]
    ours = config([])
    data = oci_layout([BOT], platform={key: ours[key] for key in ("os", "architecture")}, beside=others)
    assert (lay_out(data)[0] / "app/bot").is_file()


@BOTH
def test_what_is_not_what_its_digest_says_is_refused(refusal, save: Packed):
    other = layer(("app/bot", b"another"))
    assert refusal(save([BOT], rootfs={"diff_ids": [f"sha256:{sha256(other)}"]})) == "image_digest"
    assert refusal(save([BOT], rootfs={"diff_ids": []})) == "not_an_image"
    assert refusal(save([BOT], rootfs={"diff_ids": ["md5:0"]})) == "not_an_image"


def test_a_description_that_is_not_what_its_digest_says_is_refused(refusal):
    data = oci_layout([BOT], {"Entrypoint": ["/app/bot"]})
    assert refusal(data.replace(b'"/app/bot"', b'"/bin/shh"')) == "image_digest"


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({}, "not_an_image"),
        ({"hello": b""}, "not_an_image"),
        ({"manifest.json": b"[" * 100_000}, "not_an_image"),
        ({"manifest.json": b" " * 10_000_000}, "not_an_image"),
        ({"manifest.json": b"[]"}, "not_an_image"),
        ({"manifest.json": dumped([{}, {}])}, "not_an_image"),
        ({"manifest.json": dumped([{"Config": "c", "Layers": "x"}])}, "not_an_image"),
        ({"manifest.json": dumped([{"Config": 3, "Layers": []}])}, "not_an_image"),
        ({"manifest.json": dumped([{"Config": "../../etc/passwd", "Layers": []}])}, "image_incomplete"),
        (
            {"manifest.json": dumped([{"Config": "c", "Layers": ["gone"]}]), "c": dumped(config([b""]))},
            "image_incomplete",
        ),
        ({"manifest.json": dumped([{"Config": "c", "Layers": []}]), "c": b"[]"}, "not_an_image"),
        ({"manifest.json": dumped([{"Config": "c", "Layers": []}]), "c": b"{}"}, "not_an_image"),
        ({"index.json": dumped({"manifests": []})}, "not_an_image"),
        ({"index.json": dumped({"manifests": [{"digest": "sha256:../../x"}]})}, "not_an_image"),
        ({"index.json": dumped({"manifests": [{"digest": f"sha256:{'a' * 64}"}]})}, "image_incomplete"),
        ({"index.json": dumped({"manifests": [3]})}, "not_an_image"),
    ],
)
def test_what_is_no_whole_image_is_refused(refusal, files: dict[str, bytes], code: str):
    assert refusal(archive(files), IMAGE_LIMITS) == code


@pytest.mark.parametrize(
    "told",
    [
        {"Entrypoint": "/bot"},
        {"Entrypoint": [1]},
        {"Entrypoint": ["a\0b"]},
        {"Entrypoint": ["x"] * 100},
        {"Env": ["no value"]},
        {"Env": ["-S=x"]},
        {"Env": [f"A=x{'x' * 40_000}"]},
        {"WorkingDir": "here"},
    ],
)
def test_a_configuration_that_cannot_be_followed_is_refused(refusal, told: dict[str, object]):
    assert refusal(docker_save([BOT], told)) == "not_an_image"


def test_whatever_byte_of_an_image_is_damaged_it_is_read_or_refused_with_a_reason(lay_out, tmp_path: Path):
    whole = docker_save([BOT], pack=gzip.compress)
    codes = set()
    for place in range(0, len(whole), 97):
        file = tmp_path / "image.tar"
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            with opened_image(file, SMALL):
                codes.add("read")
        except BadArchive as refused:
            codes.add(refused.code)
    assert {"read", "not_an_image"} <= codes


def test_a_layer_that_comes_again_is_unpacked_once(lay_out: Callable[..., tuple[Path, Config]]) -> None:
    root, _ = lay_out(docker_save([BOT, *[layer()] * 30], pack=gzip.compress))
    assert held(root) == {"app/bot": "program", "bin": "-> app"}


def test_a_layer_in_pieces_is_read_whole_but_not_in_any_number(
    lay_out: Callable[..., tuple[Path, Config]], refusal: Callable[..., str]
) -> None:
    def pieces(data: bytes) -> bytes:
        return b"".join(gzip.compress(data[at : at + 1000]) + bytes(9) for at in range(0, len(data), 1000))

    empty = gzip.compress(b"") * 20_000
    assert refusal(docker_save([BOT], pack=lambda data: gzip.compress(data) + empty), IMAGE_LIMITS) == "not_an_image"
    assert refusal(docker_save([BOT], pack=lambda data: gzip.compress(data)[:-12])) == "not_an_image"
    root, _ = lay_out(docker_save([BOT], pack=pieces))
    assert held(root) == {"app/bot": "program", "bin": "-> app"}


def test_of_several_images_no_more_than_two_are_read(refusal: Callable[..., str]) -> None:
    missing = {"digest": f"sha256:{'0' * 64}", "size": 1}
    one, two = ({"n": number, "layers": []} for number in (1, 2))
    blobs = {f"blobs/sha256/{sha256(dumped(value))}": dumped(value) for value in (one, two)}
    listed = [{"digest": f"sha256:{name[-64:]}"} for name in blobs]
    assert refusal(archive({"index.json": dumped({"manifests": [*listed, missing]}), **blobs})) == "not_an_image"

"""A site brought to where people read it: a folder, a branch, another machine, the hub.

Every target is brought up to date from the site alone, so any of these can be repeated.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from vivavoce.errors import InputError, MissingExtra, VivaError
from vivavoce.live.config import LiveConfig, PublishOptions
from vivavoce.publication import OWN
from vivavoce.store import hash_file, write_bytes
from vivavoce.web.board.page import STATE, read_state


def publish(config: LiveConfig, target: PublishOptions, day: str) -> None:
    """Bring the site of a day to a target.

    Raises:
        VivaError: It could not be brought there; a later try goes on.
    """
    site = (config.folder / "site").absolute()
    if target.kind == "folder":
        _to_folder(site, config.below(target.path or Path()))
    elif target.kind == "git":
        _to_branch(site, config.below(target.path or Path()), target, day)
    elif target.kind == "rsync":
        _call(["rsync", "-a", "--delete-after", "--", f"{site}/", str(target.to)])
    else:
        _to_hub(site, target, day)


def _to_folder(site: Path, out: Path) -> None:
    """Copy what is other, and remove what an earlier site had there and this one has not."""
    earlier = set(read_state(out)) | _beside(out)
    if out.exists() and any(out.iterdir()) and not (out / STATE).is_file():
        raise InputError(f"{out} holds something that is no site. Name another folder.")
    now = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    # The record goes last: a copy that was cut short is known to be one.
    for name in sorted(now, key=lambda name: (name == STATE, name)):
        place = out / name
        if not place.is_file() or hash_file(place) != hash_file(site / name):
            write_bytes(place, (site / name).read_bytes(), fsync=False)
    for name in sorted(earlier - now):
        (out / name).unlink(missing_ok=True)


def _beside(out: Path) -> set[str]:
    return {path.relative_to(out).as_posix() for path in (out / OWN).rglob("*") if path.is_file()}


def _to_branch(site: Path, repository: Path, target: PublishOptions, day: str) -> None:
    """Commit the site to a branch, which holds nothing else, and push it."""
    branch, remote = target.branch, target.remote
    ref = f"refs/heads/{branch}"
    if remote and _git(repository, "ls-remote", "--heads", remote, ref):
        _git(repository, "fetch", "--quiet", remote, f"+{ref}:{ref}")
    with TemporaryDirectory() as passing:
        own = {"GIT_INDEX_FILE": str(Path(passing, "index"))}
        words = ("--work-tree", str(site), "add", "--all", "--force", ".")
        _git(repository, *words, variables=own, cwd=site)
        tree = _git(repository, "write-tree", variables=own)
    parent = _git(repository, "for-each-ref", "--format=%(objectname)", ref)
    if not parent or _git(repository, "rev-parse", f"{parent}^{{tree}}") != tree:
        moment = f"{day}T00:00:00+00:00"
        dates = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
        parents = ["-p", parent] if parent else []
        message = ("-m", f"Board of {day}")
        commit = _git(repository, "commit-tree", tree, *parents, *message, variables=dates)
        _git(repository, "update-ref", ref, commit)
    if remote:
        _git(repository, "push", "--quiet", remote, f"{ref}:{ref}")


def _git(
    repository: Path,
    *words: str,
    variables: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> str:
    folder = repository / ".git" if (repository / ".git").exists() else repository
    return _call(["git", "--git-dir", str(folder.absolute()), *words], variables, cwd)


def _call(
    command: Sequence[str], variables: Mapping[str, str] | None = None, cwd: Path | None = None
) -> str:
    """Run a program and return what it printed."""
    if shutil.which(command[0]) is None:
        raise VivaError(f"{command[0]} is not installed. Install it, or publish another way.")
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", **(variables or {})}
    done = subprocess.run(
        command, env=environment, cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise VivaError(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout.strip()


def _to_hub(site: Path, target: PublishOptions, day: str) -> None:
    """Upload the site by the hub's own client, which finds its key where it always does."""
    try:
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError
    except ImportError as error:
        raise MissingExtra("huggingface_hub", "hub", "Publishing to the hub") from error
    import httpx

    kind = "static" if target.type == "space" else None
    api, repo = HfApi(), str(target.repo)
    try:
        api.create_repo(repo, repo_type=target.type, exist_ok=True, space_sdk=kind)
        api.upload_folder(
            folder_path=site,
            repo_id=repo,
            repo_type=target.type,
            commit_message=f"Board of {day}",
            delete_patterns="*",
        )
    except (HfHubHTTPError, LocalTokenNotFoundError, httpx.HTTPError, OSError) as error:
        raise VivaError(f"The hub did not take {repo}: {error}") from error

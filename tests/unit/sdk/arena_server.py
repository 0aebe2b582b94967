"""A small arena in memory behind real gRPC: accounts, bots, versions, one match, rich refusals."""

# ruff: noqa: N802 - methods are named by the protocol

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from guandan_proto.v1 import arena_pb2 as pb
from guandan_proto.v1 import bots_pb2, nights_pb2, table_pb2
from guandan_proto.v1.arena_pb2_grpc import ArenaServiceServicer, add_ArenaServiceServicer_to_server

FIT = nights_pb2.RatingFit(elo_milli=1_550_000, low_milli=1_500_500, high_milli=1_600_000, rank_best=1, rank_worst=2)
PAGE = 2
WAITING = bots_pb2.STAGE_STATE_WAITING


class ArenaServer(ArenaServiceServicer):
    """Public methods are those of ArenaService.

    A version is checked at its third look: ``passes`` says how; with ``stalls`` its check never comes to an end.
    """

    def __init__(self, *, passes: bool = True, replay: bytes = b"") -> None:
        self.accounts: dict[str, str] = {}
        self.bots: dict[str, str] = {}
        self.archives: list[bytes] = []
        self.versions: list[bots_pb2.Version] = []
        self.passes = passes
        self.stalls = False
        self.replay = replay
        self._looks = 0
        self.fault: nights_pb2.SeatReport | None = None
        self.logs: list[nights_pb2.SeatLog] = []

    def CreateAccount(self, request, context):
        if request.name in self.accounts.values():
            refuse(context, grpc.StatusCode.ALREADY_EXISTS, "name_taken", f"{request.name} is taken", "choose another")
        token = f"token-of-{request.name}"
        self.accounts[token] = request.name
        return pb.CreateAccountResponse(account=bots_pb2.Account(id="a1", name=request.name), token=token)

    def WhoAmI(self, request, context):
        return pb.WhoAmIResponse(account=bots_pb2.Account(id="a1", name=self._caller(context)))

    def CreateBot(self, request, context):
        owner = self._caller(context)
        self.bots[request.name] = owner
        return pb.CreateBotResponse(bot=bots_pb2.Bot(id=f"b{len(self.bots)}", owner=owner, name=request.name))

    def ListBots(self, request, context):
        start = int(request.page_token or 0)
        names = sorted(name for name, owner in self.bots.items() if request.owner in ("", owner))
        bots = [bots_pb2.Bot(name=name, owner=self.bots[name]) for name in names[start : start + PAGE]]
        more = str(start + PAGE) if start + PAGE < len(names) else ""
        return pb.ListBotsResponse(bots=bots, next_page_token=more)

    def SubmitVersion(self, request_iterator, context):
        owner = self._caller(context)
        head = next(request_iterator).submission
        if head.bot not in self.bots:
            refuse(
                context,
                grpc.StatusCode.NOT_FOUND,
                "unknown_bot",
                f"there is no bot {head.bot}",
                f"guandan bot create {head.bot}",
            )
        data = b"".join(part.chunk for part in request_iterator)
        assert len(data) == head.size_bytes
        created = data not in self.archives
        if created:
            self.archives.append(data)
            self.versions.append(
                bots_pb2.Version(
                    id=f"v{len(self.archives)}",
                    owner=owner,
                    bot=head.bot,
                    number=len(self.archives),
                    state=bots_pb2.VERSION_STATE_RECEIVED,
                    digest=hashlib.sha256(data).hexdigest(),
                    message=head.message,
                )
            )
        return pb.SubmitVersionResponse(version=self.versions[self.archives.index(data)], created=created)

    def GetVersion(self, request, context):
        version = next(version for version in self.versions if version.id == request.version_id)
        self._looks += 1
        if not version.stages:
            version.stages.extend(bots_pb2.Stage(name=name, state=WAITING) for name in range(1, 6))
            version.stages[0].state = bots_pb2.STAGE_STATE_DONE
        if self.stalls:
            version.check.state = bots_pb2.CHECK_STATE_STALLED
            told = {
                "code": "arena_fault",
                "reason": "no disk",
                "hint": "no fault of the bot; send the same bytes again",
            }
            version.stages[1].MergeFrom(bots_pb2.Stage(state=bots_pb2.STAGE_STATE_STALLED, **told))
        elif self._looks == 2:
            for stage in version.stages[1:3]:
                stage.state = bots_pb2.STAGE_STATE_DONE
            version.stages[3].state = bots_pb2.STAGE_STATE_RUNNING
        elif self._looks == 3:
            version.state = bots_pb2.VERSION_STATE_ACTIVE if self.passes else bots_pb2.VERSION_STATE_REFUSED
            version.check.state = bots_pb2.CHECK_STATE_PASSED if self.passes else bots_pb2.CHECK_STATE_FAILED
            version.check.sentence = "played to the end" if self.passes else "its process ended during play"
            version.check.evidence = "" if self.passes else "ImportError: no module named torch"
            if self.passes:
                version.stages[3].state = version.stages[4].state = bots_pb2.STAGE_STATE_DONE
            else:
                told = {"code": "crashed", "reason": version.check.evidence, "hint": "run it here"}
                version.stages[3].MergeFrom(bots_pb2.Stage(state=bots_pb2.STAGE_STATE_REFUSED, **told))
        told = bots_pb2.Version()
        told.CopyFrom(version)
        if told.check.evidence and self._caller(context) == told.owner:  # the author's own eyes only
            told.check.evidence += "\nthe end of its output:\nimport torch"
            told.stages[3].log = "--- seat 0\nimport torch\n"
        return pb.GetVersionResponse(version=told)

    def ListVersions(self, request, context):
        return pb.ListVersionsResponse(versions=[v for v in self.versions if v.bot == request.bot])

    def ActivateVersion(self, request, context):
        version = next(version for version in self.versions if version.id == request.version_id)
        lifted = version.state == bots_pb2.VERSION_STATE_SUSPENDED
        state = bots_pb2.VERSION_STATE_RECEIVED if lifted else bots_pb2.VERSION_STATE_ACTIVE
        return pb.ActivateVersionResponse(version=self._become(request.version_id, state))

    def RetireVersion(self, request, context):
        return pb.RetireVersionResponse(version=self._become(request.version_id, bots_pb2.VERSION_STATE_RETIRED))

    def RollbackBot(self, request, context):
        before = next((v for v in self.versions if v.state == bots_pb2.VERSION_STATE_CHECKED), None)
        if before is None:
            refuse(context, grpc.StatusCode.FAILED_PRECONDITION, "nothing_before", "no other has played", "list them")
        return pb.RollbackBotResponse(version=self._become(before.id, bots_pb2.VERSION_STATE_ACTIVE))

    def _become(self, version_id, state):
        version = next(version for version in self.versions if version.id == version_id)
        version.state = state
        return version

    def GetLadder(self, request, context):
        start = int(request.page_token or 0)
        ranks = range(start + 1, min(start + PAGE, 5) + 1)
        rows = [
            nights_pb2.LadderRow(
                rank=rank,
                bot=f"bot{rank}",
                owner="ada",
                number=1,
                elo_milli=1_600_000 - rank * 1500,
                games=9,
                fit=FIT if rank == 1 else None,
            )
            for rank in ranks[: request.page_size]
        ]
        more = str(start + PAGE) if start + PAGE < 5 else ""
        return pb.GetLadderResponse(rows=rows, next_page_token=more)

    def ListMatches(self, request, context):
        return pb.ListMatchesResponse(matches=[match()])

    def GetMatch(self, request, context):
        if request.match_id != "m1":
            refuse(context, grpc.StatusCode.NOT_FOUND, "match_unknown", f"there is no match {request.match_id}", "")
        found = match()
        for way in (0, 1):
            table = found.tables.add(table_id=f"t{way}", board=1, way=way, points=3 - way)
            table.pace.overhead_us = 700 + way
            for seat in range(4):
                report = table.seats.add(seat=seat, verdict=table_pb2.VERDICT_OK, sentence="played to the end")
                report.decisions.count = 20
                report.decisions.p50_ms = 2
        if self.fault is not None:
            found.tables[0].seats[1].CopyFrom(self.fault)
            found.tables[1].lost_by_b = True
        return pb.GetMatchResponse(match=found)

    def GetLogs(self, request, context):
        self._caller(context)
        yield from (pb.GetLogsResponse(log=log) for log in self.logs)

    def GetCheckLog(self, request, context):
        self._caller(context)
        return pb.GetCheckLogResponse(log=f"--- seat 0\nchecked {request.version_id}\n")

    def GetDecisionTimes(self, request, context):
        slow = nights_pb2.Decisions(count=9, p50_ms=4, p95_ms=700, p99_ms=900, max_ms=950)
        return pb.GetDecisionTimesResponse(
            times=nights_pb2.DecisionTimes(following=slow),
            whole=slow,
            matches=3,
            warnings=["following: p99 900 ms of 1000 ms"],
        )

    def GetReplay(self, request, context):
        for start in range(0, len(self.replay), 1000):
            yield pb.GetReplayResponse(chunk=self.replay[start : start + 1000])

    def _caller(self, context) -> str:
        header = dict(context.invocation_metadata()).get("authorization", "")
        name = self.accounts.get(header.removeprefix("Bearer "))
        if name is None:
            refuse(
                context,
                grpc.StatusCode.UNAUTHENTICATED,
                "token_unknown",
                "this token is not known or has expired",
                "log in again: guandan login",
            )
        return name or ""


def match() -> nights_pb2.Match:
    return nights_pb2.Match(
        id="m1",
        round=2,
        a=nights_pb2.Entrant(bot="alpha", number=3),
        b=nights_pb2.Entrant(bot="beta", number=1),
        state=nights_pb2.MATCH_STATE_DONE,
        ending=nights_pb2.MATCH_ENDING_PLAYED,
        score=5,
        delta_milli=7250,
        rated=True,
    )


def refuse(context: grpc.ServicerContext, status: grpc.StatusCode, code: str, reason: str, hint: str) -> None:
    packed = any_pb2.Any()
    packed.Pack(error_details_pb2.ErrorInfo(reason=code.upper(), metadata={"code": code, "hint": hint}))
    message = status_pb2.Status(code=status.value[0], message=reason, details=[packed])
    context.abort_with_status(rpc_status.to_status(message))


@contextmanager
def serving_arena(service: ArenaServer) -> Iterator[str]:
    """Listen on a free port of this machine; give the address."""
    server = grpc.server(ThreadPoolExecutor(4))
    add_ArenaServiceServicer_to_server(service, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()

/**
 * A TCP echo server. Every connection is a temporary child of a dynamic supervisor, so one that breaks takes nobody along
 * and all are closed at once at the end. The listener comes after the connections, so it stops before they do.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import {
  type Child,
  exitLatch,
  Registry,
  startDynamicSupervisor,
  startSupervisor,
  type SupervisionEvent,
  type Supervisor,
} from "lemon-runtime/supervision";

/** A connection that echoes lines, as a child: a line `crash` is a fault in its code. */
function connection(socket: Socket): Child {
  const latch = exitLatch();
  const lines = createInterface({ input: socket });
  lines.on("error", () => undefined); // the socket's own error is what counts
  lines.on("line", (line) => {
    if (line === "crash") socket.destroy(new Error("a bad line"));
    else socket.write(`echo ${line}\n`);
  });
  socket.on("error", (error) => latch.settle({ kind: "crash", detail: error }));
  socket.on("close", () => latch.settle({ kind: "normal" }));
  return {
    exited: latch.exited,
    shutdown({ detail }) {
      socket.end("bye\n", () => socket.destroy());
      latch.settle({ kind: "shutdown", detail });
    },
    kill() {
      socket.destroy();
      latch.settle({ kind: "killed" });
    },
  };
}

/** The listener, which is started once it listens and tells its port besides. */
async function listener(registry: Registry): Promise<{ child: Child; info: { port: number } }> {
  const latch = exitLatch();
  const server = createServer((socket) => {
    const connections = registry.whereIs("connections") as Supervisor | undefined; // the name is that supervisor's
    const started = connections?.startChild({
      restart: "temporary",
      shutdown: 1000,
      start: () => connection(socket),
    });
    started?.catch(() => socket.destroy()); // the supervisor is full, or about to end
  });
  server.on("error", (error) => latch.settle({ kind: "crash", detail: error }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (kind: "shutdown" | "killed"): void => {
    server.close();
    latch.settle({ kind });
  };
  const child = { exited: latch.exited, shutdown: () => close("shutdown"), kill: () => close("killed") };
  return { child, info: { port: (server.address() as AddressInfo).port } }; // it listens on TCP
}

const registry = new Registry();
const say = (event: SupervisionEvent): void => {
  const reason = "reason" in event ? ` (${event.reason.kind})` : "";
  process.stdout.write(`${event.type} ${event.supervisor}/${event.childId}${reason}\n`);
};
const supervisor = await startSupervisor(
  {
    strategy: "rest_for_one",
    children: [
      {
        id: "connections",
        type: "supervisor",
        start: () => startDynamicSupervisor({ maxChildren: 100 }, { name: "connections" }),
      },
    ],
  },
  { name: "echo", registry, onEvent: say },
);
const { info } = await supervisor.startChild({ id: "listener", start: () => listener(registry) });
const { port } = info as { port: number }; // what the start above tells

/** A client: says lines, and gives the answers. */
async function client(...lines: string[]): Promise<{ socket: Socket; answers: string[] }> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined); // the server hangs up on a bad line
  await once(socket, "connect");
  const answers: string[] = [];
  const reader = createInterface({ input: socket });
  reader.on("line", (line) => answers.push(line));
  for (const line of lines) {
    socket.write(`${line}\n`);
    if (line === "crash") await once(socket, "close");
    else await once(reader, "line");
  }
  return { socket, answers };
}

const good = await client("one", "two");
process.stdout.write(`${good.answers.join(", ")}\n`);
await client("crash");
process.stdout.write("the other connection goes on\n");
good.socket.write("three\n");
await once(good.socket, "data");
process.stdout.write(`${good.answers.at(-1)}\n`);
const closed = once(good.socket, "close");
await supervisor.shutdown();
await closed;

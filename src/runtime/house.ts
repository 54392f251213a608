/** The supervision tree of a runtime: what is started in which order, and stopped in the reverse. */
import {
  exitLatch,
  startDynamicSupervisor,
  startSupervisor,
  type Child,
  type SupervisionEvent,
  type Supervisor,
} from "../supervision/index.ts";
import type { Clock } from "../ports.ts";

/** What watches over the tree. */
export interface HouseParts {
  readonly clock: Clock;
  readonly onEvent: (event: SupervisionEvent) => void;
}

/** Supervisors may be restarted, so they are asked for at each use. */
export class House {
  #root: Supervisor | null = null;
  #extensions: Supervisor | null = null;
  #workers: Supervisor | null = null;
  #sessions: Supervisor | null = null;
  #sideQueries: Supervisor | null = null;
  #background: Supervisor | null = null;
  #subagents: Supervisor | null = null;

  get isBuilt(): boolean {
    return this.#root !== null;
  }

  get root(): Supervisor {
    return built(this.#root);
  }

  /** Of the registry of extensions and of their workers. */
  get extensions(): Supervisor {
    return built(this.#extensions);
  }

  /** Under it each worker has a supervisor of its own. */
  get workers(): Supervisor {
    return built(this.#workers);
  }

  /** Of all sessions. */
  get sessions(): Supervisor {
    return built(this.#sessions);
  }

  /** Of the side queries that are open. */
  get sideQueries(): Supervisor {
    return built(this.#sideQueries);
  }

  /** Of the background runs that this process works on. */
  get background(): Supervisor {
    return built(this.#background);
  }

  /** Of the work on tasks; the sessions of subagents are with all others. */
  get subagents(): Supervisor {
    return built(this.#subagents);
  }

  /** Starts the tree. */
  async build({ clock, onEvent }: HouseParts): Promise<void> {
    const workers = async (): Promise<Supervisor> => (this.#workers = await startDynamicSupervisor({}));
    const extensions = async (): Promise<Supervisor> =>
      (this.#extensions = await startSupervisor({
        children: [{ id: "workers", type: "supervisor", start: workers }],
      }));
    const sessions = async (): Promise<Supervisor> => (this.#sessions = await startDynamicSupervisor({}));
    const sideQueries = async (): Promise<Supervisor> =>
      (this.#sideQueries = await startDynamicSupervisor({}));
    const background = async (): Promise<Supervisor> => (this.#background = await startDynamicSupervisor({}));
    const subagents = async (): Promise<Supervisor> => (this.#subagents = await startDynamicSupervisor({}));
    const services = (): Promise<Supervisor> =>
      startSupervisor({
        children: [
          { id: "extensions", type: "supervisor", start: extensions },
          { id: "sessions", type: "supervisor", start: sessions },
          { id: "side_queries", type: "supervisor", start: sideQueries },
          { id: "background", type: "supervisor", start: background },
          { id: "subagents", type: "supervisor", start: subagents },
        ],
      });
    this.#root = await startSupervisor(
      {
        strategy: "rest_for_one",
        children: [
          { id: "log", start: () => untilShutdown() },
          { id: "services", type: "supervisor", start: services },
        ],
      },
      { name: "runtime", clock, onEvent },
    );
  }
}

function built(supervisor: Supervisor | null): Supervisor {
  if (supervisor === null) throw new Error("the supervision tree is not built");
  return supervisor;
}

/** The log as a child: it is open before anything else starts and closes after everything else has ended. */
function untilShutdown(): Child {
  const latch = exitLatch();
  return {
    exited: latch.exited,
    shutdown: (reason) => void latch.settle(reason),
    kill: () => void latch.settle({ kind: "killed" }),
  };
}

import { useState } from "preact/hooks";
import type { FileDiffAnswer, FileRow, FilesAnswer } from "../../api.ts";
import { sessionPath } from "../data/client.ts";
import { useStore } from "../data/page.ts";
import { atOf } from "../data/store.ts";
import { useQuery } from "../data/use-query.ts";
import { diffCounts, diffLines } from "../model/diff-lines.ts";
import { counted, within } from "../model/format.ts";
import { Answered } from "../parts/answered.tsx";
import { DiffTable } from "../parts/diff-table.tsx";
import { FactLink } from "../parts/fact-detail.tsx";
import { Notice } from "../parts/notice.tsx";
import { useAtQuery } from "./use-at-query.ts";

const LETTERS = { created: "A", modified: "M", deleted: "D", unchanged: "=" } as const;

/** The files that calls wrote, as they were at the selected fact, each with its difference. */
export function FilesPanel(): preact.JSX.Element {
  const query = useAtQuery<FilesAnswer>("/files");
  const [chosen, choose] = useState<string | null>(null);
  const cwd = useStore(({ overview }) => overview?.cwd ?? "");
  return (
    <Answered query={query}>
      {({ files }) => {
        const file = files.find(({ path }) => path === chosen) ?? files[0];
        if (file === undefined) return <Notice title="No file was written yet" />;
        return (
          <div class="files">
            <ul class="file-list" aria-label="Files">
              {files.map(({ path, change, writes }) => (
                <li key={path}>
                  <button
                    type="button"
                    aria-current={path === file.path ? "true" : undefined}
                    onClick={() => choose(path)}
                  >
                    <span class={`change ${change}`} title={change}>
                      {LETTERS[change]}
                    </span>
                    <span class="file-path" title={path}>
                      {within(cwd, path)}
                    </span>
                    <span class="faint">{writes.length}</span>
                  </button>
                </li>
              ))}
            </ul>
            <FileView key={file.path} file={file} name={within(cwd, file.path)} />
          </div>
        );
      }}
    </Answered>
  );
}

function FileView({ file, name }: { readonly file: FileRow; readonly name: string }): preact.JSX.Element {
  const session = useStore(({ place }) => place.session);
  const at = useStore(atOf);
  const [from, setFrom] = useState(0);
  const a = Math.min(from, at);
  const query = useQuery<FileDiffAnswer>(
    session === null ? null : sessionPath(session, "/files/diff", { path: file.path, a, b: at }),
  );
  return (
    <section class="file-view" aria-label={file.path}>
      <div class="panel-bar">
        <h3 title={file.path}>{name}</h3>
        <label class="from">
          <span>since</span>
          <select value={String(from)} onChange={(event) => setFrom(Number(event.currentTarget.value))}>
            <option value="0">before the session</option>
            {file.writes.map(({ version, tool }) => (
              <option key={version} value={String(version - 1)}>
                {`before fact ${version}, ${tool ?? "restore"}`}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p class="writes">
        {counted(file.writes.length, "write")}
        {file.writes.slice(-12).map(({ version, tool }) => (
          <FactLink key={version} version={version} text={`${tool ?? "restore"} #${version}`} />
        ))}
      </p>
      <Answered query={query}>{(answer) => <Difference answer={answer} />}</Answered>
    </section>
  );
}

const NO_HUNKS = {
  equal: "No difference",
  binary: "Not text",
  too_large: "Larger than 1 MiB",
  unavailable: "Its bytes are not in the log",
} as const;

function Difference({ answer }: { readonly answer: FileDiffAnswer }): preact.JSX.Element {
  if (answer.shown !== "text") return <Notice title={NO_HUNKS[answer.shown]} />;
  const { added, removed } = diffCounts(answer.hunks);
  return (
    <>
      <p class="counts">
        <span class="good">{`+${added}`}</span> <span class="bad">{`−${removed}`}</span>
      </p>
      <DiffTable lines={diffLines(answer.hunks)} label={`Difference of ${answer.path}`} />
    </>
  );
}

/** Starts the page. */
import { render } from "preact";
import { App } from "./app.tsx";
import { Actions } from "./data/actions.ts";
import { clientWith } from "./data/client.ts";
import { FactPages } from "./data/fact-pages.ts";
import { PageContext } from "./data/page.ts";
import { BEGINNING, Store } from "./data/store.ts";
import { chosenTheme, showTheme } from "./data/theme.ts";
import { tokenOfTab } from "./data/token.ts";
import { parsePlace } from "./model/place.ts";
import { Notice } from "./parts/notice.tsx";
import "./styles/index.css";

const root = document.getElementById("page");
if (root === null) throw new Error("index.html has no place for the page");
showTheme(chosenTheme());
const token = tokenOfTab();
if (token === null) {
  render(
    <main class="alone">
      <Notice tone="warn" title="This tab has no token">
        Open the address that <code>lemon inspect</code> printed: the token stands behind its <code>#</code>.
      </Notice>
    </main>,
    root,
  );
} else {
  const client = clientWith(token);
  const store = new Store({ ...BEGINNING, place: parsePlace(location.hash) });
  const actions = new Actions(store);
  addEventListener("hashchange", actions.readAddress);
  addEventListener("popstate", actions.readAddress);
  const page = { client, store, actions, facts: new FactPages(client) };
  render(
    <PageContext.Provider value={page}>
      <App />
    </PageContext.Provider>,
    root,
  );
}

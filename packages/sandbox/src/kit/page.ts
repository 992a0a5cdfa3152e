/** `GET /__sandbox`: shows the sandbox's records, requests and controls on one web page. */
import { randomBytes } from 'node:crypto';
import type { Faults } from './faults.ts';
import { html, Html } from './html.ts';
import type { JsonObject } from './input.ts';
import type { Journal, JournalEntry } from './journal.ts';
import type { SandboxAnswer, SandboxRequest, ServiceDefinition } from './definition.ts';

const rowsPerPage = 50;
const journalRows = 40;

const style = new Html(`
:root{color-scheme:light dark;--bg:#f8fafc;--card:#fff;--ink:#0f172a;--soft:#475569;--line:#e2e8f0;--accent:#0f766e;--bad:#b91c1c;--quiet:#f1f5f9}
@media(prefers-color-scheme:dark){:root{--bg:#0b1220;--card:#111a2c;--ink:#e2e8f0;--soft:#94a3b8;--line:#24314a;--accent:#2dd4bf;--bad:#fca5a5;--quiet:#182338}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:14px/20px system-ui,sans-serif;font-variant-numeric:tabular-nums}
header{padding:16px 24px;border-bottom:1px solid var(--line);background:var(--card);display:flex;gap:16px;align-items:baseline;flex-wrap:wrap}
h1{font-size:20px;line-height:28px;margin:0}h2{font-size:16px;line-height:24px;margin:0 0 8px}main{display:grid;grid-template-columns:232px minmax(0,1fr);gap:24px;padding:24px;max-width:1440px;margin:0 auto}
nav a{display:flex;justify-content:space-between;gap:8px;padding:4px 8px;border-radius:6px;color:inherit;text-decoration:none}nav a:hover,nav a[aria-current]{background:var(--quiet)}nav .none{color:var(--soft)}nav a span:first-child{overflow:hidden;text-overflow:ellipsis}
section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:16px;margin-bottom:24px}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:13px;line-height:18px}th,td{padding:8px;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap;max-width:340px;overflow:hidden;text-overflow:ellipsis}
th{color:var(--soft);font-weight:500}td.n,th.n{text-align:right}tr.total td{font-weight:600}td.text{white-space:pre-line}code,pre{font:12.5px/18px ui-monospace,monospace}pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}
a{color:var(--accent)}button,select,input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:6px 12px;margin:0 4px 8px 0;cursor:pointer}button:hover{border-color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}.soft{color:var(--soft)}.bad{color:var(--bad)}label.switch{display:grid;grid-template-columns:280px minmax(0,1fr);gap:4px 16px;padding:8px 0;border-bottom:1px solid var(--line)}
label.switch select,label.switch input{max-width:200px}.rendered{max-width:880px;padding:32px;overflow-x:auto}nav summary{font-size:12px;line-height:16px;margin:16px 8px 4px}.good{color:var(--accent)}.companies{display:flex;gap:4px;flex-wrap:wrap;margin:0 0 16px}.companies a{padding:4px 12px;border-radius:6px;color:inherit;text-decoration:none}.companies a[aria-current],.companies a:hover{background:var(--quiet)}summary{cursor:pointer;color:var(--soft)}.rendered .title{display:flex;justify-content:space-between;gap:24px;flex-wrap:wrap;margin-bottom:24px}.rendered .title strong{font-size:20px;line-height:28px}.rendered dl{display:grid;grid-template-columns:auto 1fr;gap:4px 16px}.rendered dt{color:var(--soft)}.rendered dd{margin:0;white-space:pre-line}
@media(max-width:800px){main{grid-template-columns:minmax(0,1fr);padding:16px}.rendered{padding:16px}label.switch{grid-template-columns:minmax(0,1fr)}}`);

const script = new Html(`
const say=(text,bad)=>{const p=document.querySelector('#say');p.textContent=text;p.className=bad?'bad':'soft'};
const call=async(method,path,body)=>{const r=await fetch('/__sandbox/'+path,{method,headers:{'Content-Type':'application/json'},body:body===undefined?undefined:JSON.stringify(body)});const j=await r.json();if(!r.ok)throw new Error(j.error);return j};
const act=(what,done)=>what.then(done,(error)=>say(error.message,true));
document.querySelectorAll('button[data-call]').forEach((b)=>b.addEventListener('click',()=>{const[method,path]=b.dataset.call.split(' ');
act(call(method,path,b.dataset.body?JSON.parse(b.dataset.body):undefined),()=>{if(b.dataset.reload)location.reload();else say(b.textContent+': done')})}));
document.querySelectorAll('[data-switch]').forEach((s)=>s.addEventListener('change',()=>{const k=s.dataset.kind;const v=k==='boolean'?s.value==='true':k==='number'?Number(s.value):s.value;
act(call('PUT','behaviour',{[s.dataset.switch]:v}),()=>say(s.dataset.switch+' is now '+s.value))}));
const body=document.querySelector('#journal');if(body){let last=Number(body.dataset.last);const add=(e)=>{const tr=document.createElement('tr');
for(const v of [e.sequence,e.time.slice(11,19),e.method,e.path+(e.query?'?'+e.query:''),e.owner??'',e.status??'cut',e.duration_ms,e.applied?'yes':'',e.fault??'']){const td=document.createElement('td');td.textContent=String(v);tr.append(td)}
body.prepend(tr);while(body.children.length>${journalRows})body.lastElementChild.remove()};
setInterval(async()=>{try{const j=await call('GET','journal?since='+last);for(const e of j.entries)add(e);last=j.last}catch{}},1500)}`);

const show = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
const idOf = (item: JsonObject): string => show(item.id ?? item.Id);
/** Returns the permanent address of an entity's table or of one record, in the record set of the request. */
const linkTo = (request: SandboxRequest, entity: string, id?: string): string => {
  const link = new URLSearchParams({ entity });
  if (id !== undefined) link.set('id', id);
  for (const name of ['realmId', 'tenant']) {
    const value = request.params.get(name);
    if (value !== null) link.set(name, value);
  }
  return `/__sandbox?${link.toString()}`;
};

function journalTable(entries: readonly JournalEntry[], last: number): Html {
  const titles = ['#', 'Time', 'Method', 'Path', 'Owner', 'Status', 'ms', 'Applied', 'Fault'];
  return html`<section>
    <h2>Journal</h2>
    <div class="wide">
      <table>
        <thead>
          <tr>
            ${titles.map((title) => html`<th>${title}</th>`)}
          </tr>
        </thead>
        <tbody id="journal" data-last="${last}">
          ${[...entries].reverse().map(
            (entry) =>
              html`<tr>
                <td>${entry.sequence}</td>
                <td>${entry.time.slice(11, 19)}</td>
                <td>${entry.method}</td>
                <td>${entry.path}${entry.query === '' ? '' : `?${entry.query}`}</td>
                <td>${entry.owner}</td>
                <td>${entry.status ?? 'cut'}</td>
                <td>${entry.duration_ms}</td>
                <td>${entry.applied && 'yes'}</td>
                <td>${entry.fault}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

interface Shown {
  readonly definition: ServiceDefinition;
  readonly request: SandboxRequest;
}

const entitiesOf = ({ definition, request }: Shown) =>
  definition.control.entitiesFor?.(request) ?? definition.control.entities;

function entityTable(shownOf: Shown, entity: string, page: number): Html {
  const { request, definition } = shownOf;
  const { page: hooks } = definition.control;
  const entities = entitiesOf(shownOf);
  const items = entities.items(entity);
  if (items === undefined) return html`<section><p class="bad">There is no entity “${entity}”.</p></section>`;
  const shown = items.slice(page * rowsPerPage, (page + 1) * rowsPerPage);
  const columns = hooks.columns(entity) ?? [...new Set(shown.flatMap((item) => Object.keys(item)))].slice(0, 12);
  const isNumber = (column: string): boolean =>
    column !== 'id' && shown.some((item) => typeof item[column] === 'number');
  const cell = (item: JsonObject, column: string): Html =>
    column === 'id' || column === 'Id'
      ? html`<td><a href="${linkTo(request, entity, idOf(item))}">${idOf(item)}</a></td>`
      : html`<td class="${isNumber(column) ? 'n' : ''}" title="${show(item[column])}">${show(item[column])}</td>`;
  const more = (to: number, text: string): Html => html`<a href="${linkTo(request, entity)}&page=${to}">${text}</a> `;
  return html`<section>
    <h2>${entity} <span class="soft">${items.length}</span></h2>
    ${items.length === 0 && html`<p class="soft">There are none.</p>`}
    <div class="wide">
      <table>
        <thead>
          <tr>
            ${columns.map((column) => html`<th class="${isNumber(column) ? 'n' : ''}">${column}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${shown.map(
            (item) =>
              html`<tr>
                ${columns.map((column) => cell(item, column))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p>${page > 0 && more(page - 1, 'Previous')}${(page + 1) * rowsPerPage < items.length && more(page + 1, 'Next')}</p>
  </section>`;
}

function record(shownOf: Shown, entity: string, id: string): Html {
  const { request, definition } = shownOf;
  const item = entitiesOf(shownOf).items(entity) === undefined ? undefined : entitiesOf(shownOf).item(entity, id);
  if (item === undefined) return html`<section><p class="bad">${entity} has no ${id}.</p></section>`;
  const rendered = definition.control.page.document(entity, id, request);
  return html`<p><a href="${linkTo(request, entity)}">${entity}</a> / ${id}</p>
    ${rendered}
    <section>
      <details ${rendered === undefined && 'open'}>
        <summary>Record, as the API has it</summary>
        <pre>${JSON.stringify(item, null, 2)}</pre>
      </details>
    </section>`;
}

function steering(definition: ServiceDefinition, faults: Faults): Html {
  const button = (label: string, call: string, body: unknown, reload = false): Html =>
    html`<button
      type="button"
      data-call="${call}"
      data-body="${body === undefined ? '' : JSON.stringify(body)}"
      data-reload="${reload ? 'yes' : ''}"
    >
      ${label}
    </button>`;
  const live = faults.list();
  const { name } = definition;
  return html`<section>
      <h2>Faults</h2>
      ${definition.control.page.faults.map(({ label, rule }) => button(label, 'POST faults', rule, true))}
      ${live.length > 0 && button('Remove all faults', 'DELETE faults', undefined, true)}
      ${
        live.length === 0
          ? html`<p class="soft">${name} answers as it should.</p>`
          : html`<ul>
              ${live.map(
                (rule) =>
                  html`<li>
                    <code>${rule.id}</code> <code>${JSON.stringify(rule.match)}</code>
                    <code>${JSON.stringify(rule.action)}</code>
                    <span class="soft">applied ${rule.applied}${rule.times !== null && ` of ${rule.times}`}</span>
                  </li>`,
              )}
            </ul>`
      }
    </section>
    <section>
      <h2>Clock and data</h2>
      ${button('One hour on', 'POST clock', { advance_seconds: 3600 })}
      ${button('One day on', 'POST clock', { advance_seconds: 86_400 })} ${button('Fresh data', 'POST reset', {}, true)}
    </section>
    <section>
      <h2>Switches</h2>
      <p class="soft">What is not known for sure about the real service.</p>
      ${definition.behaviour.describe().map((entry) => {
        const { allowed } = entry;
        const attributes = html`data-switch="${entry.name}" data-kind="${typeof entry.value}"`;
        const control = Array.isArray(allowed)
          ? html`<select ${attributes}>
              ${allowed.map((value: string | boolean) => html`<option value="${String(value)}" ${value === entry.value && 'selected'}>${String(value)}</option>`)}
            </select>`
          : html`<input type="number" ${attributes} value="${entry.value}" />`;
        return html`<label class="switch"
          ><span><code>${entry.name}</code><br />${control}</span
          ><span>${entry.sentence} <span class="soft">Default: ${String(entry.default)}.</span></span></label
        >`;
      })}
    </section>`;
}

function everything(shown: Shown, entity: string | null, isOpen: boolean): Html {
  return html`<details ${isOpen && 'open'}>
    <summary>Everything there is</summary>
    ${entitiesOf(shown)
      .list()
      .map(
        ({ name, count }) =>
          html`<a
            href="${linkTo(shown.request, name)}"
            class="${count === 0 ? 'none' : ''}"
            ${entity === name && html`aria-current="page"`}
            ><span>${name}</span><span>${count}</span></a
          >`,
      )}
  </details>`;
}

/** Renders the requested page: `?entity=`, `&page=`, `&id=`; without these, the overview. */
export function controlPage(
  definition: ServiceDefinition,
  kit: { readonly journal: Journal; readonly faults: Faults },
  request: SandboxRequest,
): SandboxAnswer {
  const { journal, faults } = kit;
  const entity = request.params.get('entity');
  const id = request.params.get('id');
  const page = Math.max(0, Math.trunc(Number(request.params.get('page') ?? 0)) || 0);
  const nonce = randomBytes(16).toString('base64');
  const last = journal.last();
  const views = definition.control.page.views ?? [];
  const isJournal = request.params.get('view') === 'journal' || views.length === 0;
  const view =
    entity !== null || isJournal
      ? undefined
      : (views.find(({ key }) => key === request.params.get('view')) ?? views[0]);
  const shownOf: Shown = { definition, request };
  const content =
    view !== undefined
      ? view.render(request)
      : entity === null
        ? html`${journalTable(journal.since(Math.max(0, last - journalRows)), last)}${steering(definition, faults)}`
        : id === null
          ? entityTable(shownOf, entity, page)
          : record(shownOf, entity, id);
  const realm = request.params.get('realmId');
  const viewLink = (key: string): string =>
    `/__sandbox?view=${key}${realm === null ? '' : `&realmId=${encodeURIComponent(realm)}`}`;
  const text = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${definition.name} sandbox</title>
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <style nonce="${nonce}">
          ${style}
        </style>
      </head>
      <body>
        <header>
          <h1>${definition.name} sandbox</h1>
          <span class="soft">Clock ${definition.clock.iso().slice(0, 19).replace('T', ' ')} UTC</span>
          <span id="say" class="soft" role="status"></span>
        </header>
        <main>
          <nav aria-label="Pages and entities">
            ${views.map(
              ({ key, title }) =>
                html`<a href="${viewLink(key)}" ${view?.key === key && html`aria-current="page"`}>${title}</a>`,
            )}
            <a href="/__sandbox?view=journal" ${entity === null && isJournal && html`aria-current="page"`}
              >Journal and switches</a
            >
            ${everything(shownOf, entity, views.length === 0)}
          </nav>
          <div>${content}</div>
        </main>
        <script nonce="${nonce}">
          ${script};
        </script>
      </body>
    </html>`;
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'X-Content-Type-Options': 'nosniff',
    },
    body: text.text,
  };
}

import { html, Html } from '../kit/html.ts';
import type { SandboxAnswer } from '../kit/definition.ts';

const style = new Html(`
:root{color-scheme:light dark;--bg:#f4f5f7;--card:#fff;--ink:#1f2933;--soft:#52606d;--line:#cbd2d9;--accent:#1d6b3a;--accent-ink:#fff;--bad:#a61b1b}
@media (prefers-color-scheme:dark){:root{--bg:#12181f;--card:#1b232c;--ink:#e4e7eb;--soft:#9aa5b1;--line:#3e4c59;--accent:#57ae5b;--accent-ink:#0b1a0f;--bad:#f29b9b}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--bg);color:var(--ink);font:16px/24px system-ui,sans-serif;padding:24px}
main{width:min(480px,100%);background:var(--card);border:1px solid var(--line);border-radius:8px;padding:32px}
h1{font-size:20px;line-height:28px;margin:0 0 8px}p{margin:0 0 16px;color:var(--soft)}fieldset{border:0;margin:0 0 24px;padding:0}legend{padding:0;margin-bottom:8px;font-weight:600}
label{display:flex;gap:12px;align-items:center;padding:12px;border:1px solid var(--line);border-radius:6px;margin-bottom:8px;cursor:pointer}
label:has(:checked){border-color:var(--accent)}label:has(:focus-visible),button:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
small{display:block;color:var(--soft)}input{accent-color:var(--accent);width:18px;height:18px;margin:0}
.buttons{display:flex;gap:12px}button{font:inherit;font-weight:600;padding:10px 20px;min-height:44px;border-radius:6px;border:1px solid var(--line);background:transparent;color:inherit;cursor:pointer}
button.main{background:var(--accent);border-color:var(--accent);color:var(--accent-ink)}.bad{color:var(--bad);font-weight:600}`);

function page(status: number, title: string, content: Html): SandboxAnswer {
  const text = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <style>
          ${style}
        </style>
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html>`;
  return {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Frame-Options': 'DENY',
      // No form-action: it would also block the redirect back to the app after the form.
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      'Referrer-Policy': 'no-referrer',
    },
    body: text.text,
  };
}

/** Renders the page on which a person chooses a company and connects the app, or cancels. Works without scripts. */
export function consentPage(
  parameters: URLSearchParams,
  companies: readonly { readonly realmId: string; readonly companyName: string }[],
  action: string,
  problem?: string,
): SandboxAnswer {
  const hidden = [
    'client_id',
    'redirect_uri',
    'response_type',
    'scope',
    'state',
    'code_challenge',
    'code_challenge_method',
  ];
  const needsCompany = /\bcom\.intuit\.quickbooks\.(accounting|payment)\b/.test(parameters.get('scope') ?? '');
  const { host } = new URL(parameters.get('redirect_uri') ?? 'http://localhost');
  return page(
    problem === undefined ? 200 : 400,
    'Connect to QuickBooks',
    html`<h1>Connect to QuickBooks</h1>
      <p>
        The app at <strong>${host}</strong> asks to read and change your company’s books. This is a sandbox: no real
        books are behind it.
      </p>
      ${problem !== undefined && html`<p class="bad" role="alert">${problem}</p>`}
      <form method="post" action="${action}">
        ${hidden.map((name) => parameters.has(name) && html`<input type="hidden" name="${name}" value="${parameters.get(name)}" />`)}
        ${
          needsCompany &&
          html`<fieldset>
            <legend>Choose a company</legend>
            ${companies.map(
              ({ realmId, companyName }, at) =>
                html`<label
                  ><input type="radio" name="realm_id" value="${realmId}" required ${at === 0 && html`checked`} />
                  <span>${companyName}<small>Company ID ${realmId}</small></span></label
                >`,
            )}
          </fieldset>`
        }
        <div class="buttons">
          <button class="main" type="submit" name="decision" value="connect">Connect</button>
          <button type="submit" name="decision" value="cancel" formnovalidate>Cancel</button>
        </div>
      </form>`,
  );
}

/** Renders the page that shows a person what is wrong with the app's request. */
export function problemPage(problem: string): SandboxAnswer {
  return page(
    400,
    'Sorry, but this app did not connect',
    html`<h1>Sorry, this app did not connect</h1>
      <p role="alert">${problem}</p>
      <p>Tell the people who make the app what you see here, and close this page.</p>`,
  );
}

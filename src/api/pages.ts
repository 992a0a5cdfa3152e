import { escaped } from '#core/values/html.ts';

/** The few pages that the server writes itself; everything else is the web application. */

const style = `
  :root { color-scheme: light dark; --line: #c9d1d9; --soft: #57606a; --accent: #0b6e72; --bad: #b42318; --ground: #f6f8fa; --sheet: #fff; --text: #1f2328; }
  @media (prefers-color-scheme: dark) { :root { --line: #3d444d; --soft: #9198a1; --accent: #4fb3b7; --bad: #ff8a80; --ground: #0d1117; --sheet: #151b23; --text: #e6edf3; } }
  * { box-sizing: border-box; }
  body { margin: 0; font: 15px/1.5 system-ui, sans-serif; background: var(--ground); color: var(--text); }
  main { max-width: 30rem; margin: 8vh auto; padding: 2rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; }
  main.wide { max-width: 64rem; margin-top: 2rem; }
  h1 { font-size: 1.25rem; margin: 0 0 .75rem; }
  h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
  p { margin: 0 0 1rem; color: var(--soft); }
  label { display: block; font-weight: 600; margin-bottom: .25rem; }
  input[type=text], input[type=password] { width: 100%; font: inherit; padding: .5rem .6rem; border: 1px solid var(--line); border-radius: 6px; background: transparent; color: inherit; }
  .field { margin-bottom: 1rem; }
  .help { color: var(--soft); font-size: .85rem; }
  .error { color: var(--bad); border-left: 3px solid var(--bad); padding-left: .75rem; }
  .check { font-weight: 400; }
  button { font: inherit; font-weight: 600; padding: .5rem 1rem; border: 0; border-radius: 6px; background: var(--accent); color: var(--sheet); cursor: pointer; }
  a { color: var(--accent); }
  .actions { display: flex; gap: 1rem; align-items: center; }
  details { border-top: 1px solid var(--line); padding: .4rem 0; }
  summary { cursor: pointer; }
  code, pre { font: 13px/1.5 ui-monospace, monospace; }
  pre { overflow: auto; background: var(--ground); padding: .75rem; border-radius: 6px; }
  .method { display: inline-block; min-width: 4.5rem; font-weight: 700; }
`;

/** A whole page around its body, which must be safe already. */
export function page(title: string, body: string, isWide = false): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Tallybridge</title>
<style>${style}</style>
</head>
<body>
<main${isWide ? ' class="wide"' : ''}>
${body}
</main>
</body>
</html>
`;
}

/** The form for the API user of the PSA. */
export function psaFormPage(form: {
  readonly label: string;
  readonly action: string;
  readonly code: string;
  readonly apiUser: string;
  readonly error: string | null;
  readonly asksToConfirm: boolean;
}): string {
  const confirm = `<div class="field"><label class="check"><input type="checkbox" name="confirm" value="yes" required>
 Connect this company instead. Its mappings and accounts are to be forgotten.</label></div>`;
  return page(
    `Connect to ${form.label}`,
    `<h1>Connect to ${escaped(form.label)}</h1>
<p>Enter the API user that was created for this integration in ${escaped(form.label)}. The secret is stored encrypted and is never shown again.</p>
${form.error === null ? '' : `<p class="error" role="alert">${escaped(form.error)}</p>`}
<form method="post" action="${escaped(form.action)}" autocomplete="off">
<input type="hidden" name="form" value="${escaped(form.code)}">
<div class="field"><label for="api_user">API Key (Username)</label>
<input type="text" id="api_user" name="api_user" value="${escaped(form.apiUser)}" maxlength="254" required autofocus aria-describedby="api_user_help">
<div class="help" id="api_user_help">Must be associated with the QuickBooks Online integration vendor.</div></div>
<div class="field"><label for="api_secret">API Secret (Password)</label>
<input type="password" id="api_secret" name="api_secret" maxlength="254" required autocomplete="off" aria-describedby="api_secret_help">
<div class="help" id="api_secret_help">The secret associated with the API user.</div></div>
${form.asksToConfirm ? confirm : ''}
<div class="actions"><button type="submit">Connect</button><a href="/connections">Cancel</a></div>
</form>`,
  );
}

/** What a person sees when a page of the server cannot be shown. */
export const failurePage = (message: string): string =>
  page(
    'Something went wrong',
    `<h1>This did not work</h1>\n<p class="error" role="alert">${escaped(message)}</p>\n<p><a href="/connections">Back to Connections</a></p>`,
  );

/** Asks whoever follows a link of the PSA to prove who they are. Names nobody: the link may be anybody's guess. */
export function signOnPage(form: {
  readonly label: string;
  readonly tenant_id: string;
  readonly resource_id: string;
  readonly referrer?: string | undefined;
  readonly username: string;
  readonly error: string | null;
}): string {
  return page(
    'Confirm that it is you',
    `<h1>Confirm that it is you</h1>
<p>You come from ${escaped(form.label)}. Its link says who you are, but proves nothing: please log in to Tallybridge as the same person.</p>
${form.error === null ? '' : `<p class="error" role="alert">${escaped(form.error)}</p>`}
<form method="post" action="/auth/autotask/authorize">
<input type="hidden" name="tenant_id" value="${escaped(form.tenant_id)}">
<input type="hidden" name="resource_id" value="${escaped(form.resource_id)}">
${referrerField(form.referrer)}
<div class="field"><label for="username">Username</label>
<input type="text" inputmode="email" id="username" name="username" value="${escaped(form.username)}" maxlength="254" required autofocus autocomplete="username" autocapitalize="none" spellcheck="false"></div>
<div class="field"><label for="password">Password</label>
<input type="password" id="password" name="password" maxlength="1000" required autocomplete="current-password"></div>
<div class="actions"><button type="submit">Continue</button><a href="/forgot-password">Forgot your password?</a></div>
</form>`,
  );
}

/** Asks before the session of another person ends in this browser. */
export const continuePage = (question: {
  readonly person: string;
  readonly signedIn: string;
  readonly question: string;
  readonly referrer: string | undefined;
}): string =>
  page(
    'Continue as another user?',
    `<h1>Continue as ${escaped(question.person)}?</h1>
<p>In this browser ${escaped(question.signedIn)} is signed in. That session ends when you continue.</p>
<form method="post" action="/auth/autotask/authorize">
<input type="hidden" name="question" value="${escaped(question.question)}">
${referrerField(question.referrer)}
<div class="actions"><button type="submit">Continue as ${escaped(question.person)}</button><a href="/">Stay signed in as before</a></div>
</form>`,
  );

const referrerField = (referrer: string | undefined): string =>
  referrer === undefined ? '' : `<input type="hidden" name="referrer" value="${escaped(referrer)}">`;

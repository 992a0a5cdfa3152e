import type { CredentialField } from '#core/ports/psa.ts';
import { escaped } from '#core/values/html.ts';

/** The pages that the server renders; the web application renders all others. */

/** The design tokens of the web application (src/web/components/tokens.css) that a form needs. */
export const pageStyle = `
  :root { color-scheme: light dark; --line: light-dark(#e0e6ed, #273342); --control: light-dark(#8593a5, #6b7d93); --soft: light-dark(#566476, #95a3b5); --accent: light-dark(#0f766e, #2dd4bf); --accent-on: light-dark(#ffffff, #04211e); --link: light-dark(#0b655e, #4adccb); --bad: light-dark(#a11d1d, #fb9a9a); --ground: light-dark(#f6f8fa, #0d131b); --sheet: light-dark(#ffffff, #141c26); --text: light-dark(#17212e, #e3e9f0); }
  * { box-sizing: border-box; }
  body { margin: 0; padding: 0 16px; font: 14px/20px -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Ubuntu, Cantarell, 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif; background: var(--ground); color: var(--text); }
  main { max-width: 440px; margin: 10vh auto; padding: 32px; background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; overflow-wrap: anywhere; }
  main.wide { max-width: 64rem; margin-top: 2rem; }
  .brand { margin: 0 0 16px; color: var(--link); font-weight: 600; }
  h1 { font-size: 20px; line-height: 28px; margin: 0 0 12px; letter-spacing: -0.01em; }
  h2 { font-size: 16px; line-height: 24px; margin: 32px 0 8px; }
  p { margin: 0 0 16px; color: var(--soft); }
  label { display: block; font-size: 13px; margin-bottom: 4px; }
  input[type=text], input[type=password] { width: 100%; height: 34px; font: inherit; padding: 0 10px; border: 1px solid var(--control); border-radius: 6px; background: transparent; color: inherit; }
  input:focus-visible, button:focus-visible, a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  .field { margin-bottom: 16px; }
  .help { color: var(--soft); font-size: 12px; margin-top: 4px; }
  .error { color: var(--bad); border-left: 3px solid var(--bad); padding-left: 12px; }
  .check { font-size: 14px; }
  button { font: inherit; font-weight: 600; min-height: 34px; padding: 0 16px; border: 0; border-radius: 6px; background: var(--accent); color: var(--accent-on); cursor: pointer; }
  a { color: var(--link); }
  .actions { display: flex; flex-wrap: wrap; gap: 12px 16px; align-items: center; }
  details { border-top: 1px solid var(--line); padding: 8px 0; }
  summary { cursor: pointer; }
  code, pre { font: 12.5px/18px ui-monospace, SFMono-Regular, Menlo, Consolas, 'Noto Sans Mono', 'DejaVu Sans Mono', monospace; }
  pre { overflow: auto; background: var(--ground); padding: 12px; border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
  .method { display: inline-block; min-width: 4.5rem; font-weight: 700; }
  @media (pointer: coarse) { input[type=text], input[type=password], button { min-height: 44px; } }
  @media (max-width: 480px) { main { margin: 24px auto; padding: 24px 16px; } }
`;

/** Returns a whole page; `body` must already be safe HTML. */
export function page(
  title: string,
  body: string,
  { isWide = false, refreshTo }: { readonly isWide?: boolean; readonly refreshTo?: string } = {},
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refreshTo === undefined ? '' : `<meta http-equiv="refresh" content="0; url=${escaped(refreshTo)}">\n`}<title>${escaped(title)} · Tallybridge</title>
<style>${pageStyle}</style>
</head>
<body>
<main${isWide ? ' class="wide"' : ''}>
<p class="brand">Tallybridge</p>
${body}
</main>
</body>
</html>
`;
}

function credentialField(field: CredentialField, values: Readonly<Record<string, string>>, isFirst: boolean): string {
  const { input, label, help, isSecret } = field;
  const id = escaped(input);
  const kind = isSecret
    ? 'type="password" autocomplete="off"'
    : `type="text" value="${escaped(values[input] ?? '')}"${isFirst ? ' autofocus' : ''}`;
  return `<div class="field"><label for="${id}">${escaped(label)}</label>
<input ${kind} id="${id}" name="${id}" maxlength="254" required aria-describedby="${id}_help">
<div class="help" id="${id}_help">${escaped(help)}</div></div>`;
}

/** Returns the form for the PSA credentials, with the fields from the connector's descriptor. */
export function psaFormPage(form: {
  readonly label: string;
  /** Name of the client to connect. */
  readonly client: string;
  readonly action: string;
  readonly code: string;
  readonly fields: readonly CredentialField[];
  /** Values typed in before; secrets must be typed again. */
  readonly values: Readonly<Record<string, string>>;
  readonly error: string | null;
  readonly needsConfirmation: boolean;
}): string {
  const confirm = `<div class="field"><label class="check"><input type="checkbox" name="confirm" value="yes" required>
 Connect this company instead. Clear the mappings and accounts of the former company.</label></div>`;
  return page(
    `Connect to ${form.label}`,
    `<h1>Connect to ${escaped(form.label)}</h1>
<p>For <strong>${escaped(form.client)}</strong>.</p>
<p>Enter the API user that was created for this integration in ${escaped(form.label)}. The secret is stored encrypted and is never shown again.</p>
${form.error === null ? '' : `<p class="error" role="alert">${escaped(form.error)}</p>`}
<form method="post" action="${escaped(form.action)}" autocomplete="off">
<input type="hidden" name="form" value="${escaped(form.code)}">
${form.fields.map((field, index) => credentialField(field, form.values, index === 0)).join('\n')}
${form.needsConfirmation ? confirm : ''}
<div class="actions"><button type="submit">Connect</button><a href="/connections">Cancel</a></div>
</form>`,
  );
}

/**
 * Redirects the browser from a Tallybridge page, so that it sends its strict cookies. A redirect from another site
 * would not.
 */
export const onwardPage = (to: string): string =>
  page(
    'One moment',
    `<h1>One moment</h1>\n<p>The connection is being finished.</p>\n<p><a href="${escaped(to)}">Continue</a></p>`,
    { refreshTo: to },
  );

/**
 * Asks the user to confirm an email address. Mail filters open links automatically, so opening the page confirms
 * nothing.
 */
export const confirmEmailPage = (token: string): string =>
  page(
    'Confirm your email address',
    `<h1>Confirm your email address</h1>
<p>Confirm it only if you registered your company at Tallybridge yourself.</p>
<form method="post" action="/auth/confirm-email">
<input type="hidden" name="token" value="${escaped(token)}">
<div class="actions"><button type="submit">Confirm</button><a href="/">Not now</a></div>
</form>`,
  );

/** Shown after the address is verified. */
export const emailConfirmedPage = page(
  'Address confirmed',
  `<h1>Your address is confirmed</h1>
<p>Documents can now be posted to QuickBooks.</p>
<div class="actions"><a href="/">Continue</a></div>`,
);

/** Shown when a page of the server fails. */
export const failurePage = (message: string): string =>
  page(
    'Something went wrong',
    `<h1>This did not work</h1>\n<p class="error" role="alert">${escaped(message)}</p>\n<p><a href="/connections">Back to Connections</a></p>`,
  );

/** Shown to users during maintenance. */
export const maintenancePage = (message: string): string =>
  page(
    'Maintenance',
    `<h1>Maintenance</h1>
<p>${escaped(message)}</p>
<p>Try again later. <a href="/login">System administrators log in here.</a></p>`,
  );

/** Asks the user who follows a PSA link to log in. It shows no name, because the link could be guessed. */
export function signOnPage(form: {
  readonly label: string;
  readonly tenant_id: string;
  readonly resource_id: string;
  readonly referrer?: string | undefined;
  readonly username: string;
  readonly error: string | null;
  readonly needsCode: boolean;
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
${form.needsCode ? codeField : ''}
<div class="actions"><button type="submit">Continue</button><a href="/forgot-password">Forgot your password?</a></div>
</form>`,
  );
}

/** Asks for the code of the authenticator app after a provider has confirmed the user. */
export const providerCodePage = (form: { readonly question: string; readonly error: string | null }): string =>
  page(
    'Enter your code',
    `<h1>Enter your code</h1>
<p>Two-step login is on for your account.</p>
${form.error === null ? '' : `<p class="error" role="alert">${escaped(form.error)}</p>`}
<form method="post" action="/auth/provider/code">
<input type="hidden" name="question" value="${escaped(form.question)}">
${codeField.replace('name="code"', 'name="code" required autofocus')}
<div class="actions"><button type="submit">Login</button><a href="/login">Cancel</a></div>
</form>`,
  );

/** Shown when a sign-in at a provider fails. */
export const providerFailurePage = (message: string): string =>
  page(
    'Sign-in failed',
    `<h1>The sign-in did not work</h1>
<p class="error" role="alert">${escaped(message)}</p>
<div class="actions"><a href="/login">Back to the login page</a></div>`,
  );

const codeField = `<div class="field"><label for="code">Code</label>
<input type="text" id="code" name="code" maxlength="64" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" aria-describedby="code_help">
<div class="help" id="code_help">Of your authenticator app, or one of your recovery codes.</div></div>`;

/** Asks before ending the session of another user in this browser. */
export const continuePage = (question: {
  readonly person: string;
  readonly signedIn: string;
  readonly question: string;
  readonly referrer: string | undefined;
}): string =>
  page(
    'Continue as another user?',
    `<h1>Continue as ${escaped(question.person)}?</h1>
<p>In this browser ${escaped(question.signedIn)} is logged in. That session ends when you continue.</p>
<form method="post" action="/auth/autotask/authorize">
<input type="hidden" name="question" value="${escaped(question.question)}">
${referrerField(question.referrer)}
<div class="actions"><button type="submit">Continue</button><a href="/">Stay logged in as before</a></div>
</form>`,
  );

const referrerField = (referrer: string | undefined): string =>
  referrer === undefined ? '' : `<input type="hidden" name="referrer" value="${escaped(referrer)}">`;

import { isEmail } from '#core/email.ts';
import type { Mail } from '#core/ports/mailer.ts';
import { assert } from '#core/values/assert.ts';
import { escaped } from '#core/values/html.ts';

/** Contents of a mail, before it is rendered as text and as HTML. */
export interface MailTemplate {
  readonly to: string;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** A list of links after the paragraphs; the note is below the label. */
  readonly links?: readonly { readonly label: string; readonly note: string; readonly address: string }[];
  /** Text below the list. */
  readonly more?: string;
  /** The button for the one requested action, if there is one. */
  readonly button?: { readonly label: string; readonly address: string };
  /** Text below the button, in small print. */
  readonly after?: readonly string[];
}

const font = "-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
const paragraphStyle = `margin:0 0 16px;font:15px/24px ${font};color:#17212e;`;
const smallStyle = `margin:0 0 12px;font:13px/20px ${font};color:#566476;overflow-wrap:anywhere;`;

/**
 * Renders a template as text and as HTML with the same words. Mail programs support little HTML, so it uses tables and
 * inline styles, and no pictures or other resources.
 *
 * @param appUrl URL of the application, shown at the end.
 */
export function renderMail(template: MailTemplate, appUrl: string): Mail {
  const { to, subject, paragraphs, links = [], more, button, after = [] } = template;
  // Mail programs read a comma as a separator of recipients, but a link belongs to one mailbox.
  assert(isEmail(to), 'a mail goes to one address');
  const text = [
    ...paragraphs.map(wrapped),
    ...links.map(({ label, note, address }) =>
      [wrapped(label), ...(note === '' ? [] : [wrapped(note)]), address].join('\n'),
    ),
    ...(more === undefined ? [] : [more]),
    ...(button === undefined ? [] : [`${button.label}:\n${button.address}`]),
    ...after.map(wrapped),
    `-- \nTallybridge, ${appUrl}`,
  ].join('\n\n');
  return { to, subject, text: `${text}\n`, html: htmlOf(template, after, appUrl) };
}

/** Short lines avoid an encoding that would split URLs when a mail is read as a plain file. */
const lineLength = 72;

function wrapped(paragraph: string): string {
  const lines: string[] = [];
  for (const word of paragraph.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > lineLength) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}

function htmlOf(
  { subject, paragraphs, links = [], more, button }: MailTemplate,
  after: readonly string[],
  appUrl: string,
): string {
  const paragraph = (html: string) => `<p style="${paragraphStyle}">${html}</p>`;
  const body = [
    ...paragraphs.map((one) => paragraph(escaped(one))),
    ...links.map(({ label, note, address }) =>
      paragraph(
        `<a href="${escaped(address)}" style="color:#0b655e;font-weight:600;">${escaped(label)}</a>${note === '' ? '' : `<br>${escaped(note)}`}`,
      ),
    ),
    ...(more === undefined ? [] : [paragraph(escaped(more))]),
  ];
  const foot = after.map((one) => `<p style="${smallStyle}">${escaped(one)}</p>`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(subject)}</title></head>
<body style="margin:0;padding:0;background:#f6f8fa;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#f6f8fa;"><tr><td align="center" style="padding:32px 12px;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;background:#ffffff;border:1px solid #e0e6ed;border-radius:12px;"><tr><td style="padding:28px 32px;">
<p style="margin:0 0 20px;font:600 15px/20px ${font};color:#0f766e;">Tallybridge</p>
<h1 style="margin:0 0 16px;font:600 20px/28px ${font};color:#17212e;">${escaped(subject)}</h1>
${body.join('\n')}
${button === undefined ? '' : htmlButton(button)}
${foot.join('\n')}
</td></tr></table>
<p style="margin:16px 0 0;font:12px/16px ${font};color:#566476;">Sent by Tallybridge at ${escaped(appUrl)}</p>
</td></tr></table>
</body>
</html>
`;
}

/** Shows the URL below the button, too: some mail programs hide links, and people like to see where a link leads. */
const htmlButton = ({ label, address }: NonNullable<MailTemplate['button']>): string =>
  `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 20px;"><tr><td style="border-radius:6px;background:#0f766e;">
<a href="${escaped(address)}" style="display:inline-block;padding:11px 20px;font:600 15px/20px ${font};color:#ffffff;text-decoration:none;">${escaped(label)}</a>
</td></tr></table>
<p style="${smallStyle}">Or open this address in your browser:<br><a href="${escaped(address)}" style="color:#0b655e;">${escaped(address)}</a></p>`;

import { type Company, type Mail } from './company.ts';
import { type Doc, docAt, isTrue, listAt, textAt } from './doc.ts';
import type { EntityKind } from './entities.ts';
import { fault } from './faults.ts';
import { schemaMembers } from './schema.ts';
import type { Entry } from './table.ts';
import { pacificTime } from './times.ts';

/** The member with a document's email address. */
const addressMembers: Readonly<Record<string, string>> = { PurchaseOrder: 'POEmail' };

const messageGroups: Readonly<Record<string, string>> = {
  Invoice: 'InvoiceMessage',
  Estimate: 'EstimateMessage',
  SalesReceipt: 'SalesReceiptMessage',
};

/** Returns the names of the files attached to a document's email. */
function attachmentsOf(company: Company, kind: EntityKind, id: string): string[] {
  const names = [`${kind.name}.pdf`];
  for (const entry of company.table('Attachable').all())
    for (const target of listAt(entry.body, 'AttachableRef')) {
      const entity = docAt(target, 'EntityRef');
      const isMeant =
        textAt(entity, 'type') === kind.name && textAt(entity, 'value') === id && isTrue(target, 'IncludeOnSend');
      if (isMeant) names.push(textAt(entry.body, 'FileName') ?? entry.id);
    }
  return names;
}

/**
 * Emails a document: EmailStatus becomes EmailSent with the time of delivery; the SyncToken is unchanged (recorded
 * 2026).
 *
 * @param sendTo replaces the document's own address
 * @throws ServiceFault 6420 or 6000 (by switch) without an address; 6000 above the daily limit
 */
export function sendByMail(
  company: Company,
  kind: EntityKind,
  entry: Entry,
  sendTo: string | null,
  cause: Mail['cause'],
): void {
  const member = addressMembers[kind.name] ?? 'BillEmail';
  const customer = company.find('Customer', textAt(docAt(entry.body, 'CustomerRef'), 'value'));
  const to =
    sendTo ??
    textAt(docAt(entry.body, member), 'Address') ??
    (kind.name === 'Payment' ? textAt(docAt(customer?.body, 'PrimaryEmailAddr'), 'Address') : undefined);
  if (to === undefined || to === '')
    throw company.behaviour.get('send_without_address') === '6420'
      ? fault.noEmail()
      : fault.business('Enter an email address to send this transaction to.', member);
  if (!to.split(',').every((part) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(part.trim()))) throw fault.badEmail(to);
  const limit = company.behaviour.get('mails_per_day');
  const dayAgo = company.clock.now() - 86_400_000;
  const sentToday = company.mails.filter(({ sentAt }) => Date.parse(sentAt) > dayAgo).length;
  if (limit > 0 && sentToday >= limit)
    throw fault.business('You have reached the number of emails you can send in a day.');
  const messages = docAt(company.table('Preferences').get('1')?.body, 'EmailMessagesPrefs');
  const texts = docAt(messages, messageGroups[kind.name] ?? '');
  company.mails.push({
    sentAt: company.clock.iso(),
    realmId: company.realmId,
    entity: kind.name,
    id: entry.id,
    docNumber: textAt(entry.body, 'DocNumber') ?? null,
    to,
    cc: textAt(docAt(entry.body, 'BillEmailCc'), 'Address') ?? null,
    bcc: textAt(docAt(entry.body, 'BillEmailBcc'), 'Address') ?? null,
    subject: textAt(texts, 'Subject') ?? `${kind.label} from ${company.name}`,
    message: textAt(texts, 'Message') ?? '',
    attachments: attachmentsOf(company, kind, entry.id),
    cause,
  });
  const marks: Doc = {
    EmailStatus: 'EmailSent',
    [member]: { Address: to },
    DeliveryInfo: { DeliveryType: 'Email', DeliveryTime: pacificTime(company.nowMs()) },
  };
  // Payments lack these members, purchase orders lack DeliveryInfo.
  const known = new Set(schemaMembers(kind.name));
  const body: Doc = { ...entry.body };
  for (const [mark, value] of Object.entries(marks)) if (known.has(mark)) body[mark] = value;
  company.annotate(kind, entry, body, 'Emailed');
}

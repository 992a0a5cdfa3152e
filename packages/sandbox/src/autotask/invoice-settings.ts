/** `Companies/{id}/invoiceSettings`: how a company receives its invoices (autotask reference section 8.1). */
import type { SandboxAnswer, SandboxRequest } from '../kit/definition.ts';
import { itemId, json, Refused } from './answers.ts';
import { property } from './query.ts';
import { parseBody } from './read.ts';
import { noMatch } from './rules.ts';
import { entityType } from './schema.ts';
import { tableOf, visibleRow, type World } from './world.ts';

interface Settings {
  invoiceEmailingEnabled: boolean;
  otherEmails: string;
  contactRecipients: readonly number[];
  resourceRecipients: readonly number[];
}

/** Stores settings that are not fields of the company. */
export interface InvoiceSettings {
  /** Handlers by HTTP method at the sub-resource and below. */
  handlers(
    world: World,
    companyId: number,
    rest: readonly string[],
    request: SandboxRequest,
  ): Readonly<Partial<Record<string, () => SandboxAnswer>>>;
  reset(): void;
}

const lists = { contactrecipients: 'contactRecipients', resourcerecipients: 'resourceRecipients' } as const;

/** Creates an empty store. */
export function createInvoiceSettings(): InvoiceSettings {
  let stored = new Map<number, Settings>();
  const settingsOf = (id: number): Settings => {
    let settings = stored.get(id);
    if (settings === undefined)
      stored.set(
        id,
        (settings = { invoiceEmailingEnabled: false, otherEmails: '', contactRecipients: [], resourceRecipients: [] }),
      );
    return settings;
  };
  return {
    handlers(world, id, rest, request) {
      const type = entityType('Companies');
      const company = visibleRow(world, type, id);
      const [word, recipient, ...more] = rest;
      if (company === undefined) {
        const missing = (): never => {
          throw noMatch(type);
        };
        return { GET: missing, PUT: missing, POST: missing, DELETE: missing };
      }
      const settings = settingsOf(id);
      if (word === undefined)
        return {
          GET: () =>
            json({
              taxExempt: company.isTaxExempt,
              taxRegionId: company.taxRegionID,
              taxId: company.taxID,
              ...settings,
            }),
          PUT: () => change(world, settings, id, bodyOf(request)),
        };
      const list = word === 'contactrecipients' || word === 'resourcerecipients' ? lists[word] : undefined;
      if (list === undefined || more.length > 0) return {};
      if (recipient === undefined)
        return {
          POST() {
            const items = property(bodyOf(request), 'items');
            const table = tableOf(world, list === 'contactRecipients' ? 'Contacts' : 'Resources');
            if (
              !Array.isArray(items) ||
              !items.every((entry): entry is number => typeof entry === 'number' && table.get(entry) !== undefined)
            )
              throw new Refused(`The items must be ids of ${table.type.name}.`);
            settings[list] = [...new Set([...settings[list], ...items])];
            return itemId(id);
          },
        };
      return {
        DELETE() {
          if (!settings[list].includes(Number(recipient))) throw noMatch(type);
          settings[list] = settings[list].filter((entry) => entry !== Number(recipient));
          return itemId(id);
        },
      };
    },
    reset() {
      stored = new Map();
    },
  };
}

function bodyOf(request: SandboxRequest): Record<string, unknown> {
  const body = parseBody(request.text());
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refused('The request has no settings.');
  return Object.fromEntries(Object.entries(body));
}

function change(world: World, settings: Settings, id: number, body: Record<string, unknown>): SandboxAnswer {
  const table = tableOf(world, 'Companies');
  const company = table.get(id);
  if (company === undefined) throw noMatch(entityType('Companies'));
  const [exempt, region, taxId] = [property(body, 'taxExempt'), property(body, 'taxRegionId'), property(body, 'taxId')];
  const [emailing, emails] = [property(body, 'invoiceEmailingEnabled'), property(body, 'otherEmails')];
  if (typeof region === 'number' && tableOf(world, 'TaxRegions').get(region) === undefined)
    throw new Refused(`The reference value ${region} on field: taxRegionId does not exist or is invalid.`);
  table.change(company, {
    ...(typeof exempt === 'boolean' && { isTaxExempt: exempt }),
    ...((typeof region === 'number' || region === null) && { taxRegionID: region }),
    ...(typeof taxId === 'string' && { taxID: taxId }),
  });
  if (typeof emailing === 'boolean') settings.invoiceEmailingEnabled = emailing;
  if (typeof emails === 'string') settings.otherEmails = emails;
  return itemId(id);
}

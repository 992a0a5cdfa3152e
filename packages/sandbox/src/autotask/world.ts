/** One tenant as one caller sees it: which records are visible, and how they look in responses. */
import type { Clock } from '../kit/clock.ts';
import { Refused } from './answers.ts';
import type { AutotaskBehaviour } from './behaviour.ts';
import { isShifted, toWire, wireName } from './metadata.ts';
import type { EntityType } from './schema.ts';
import type { Row, Table, Tables } from './table.ts';
import type { ApiUser } from './users.ts';

/** The context of a request. */
export interface World {
  readonly tables: Tables;
  readonly behaviour: AutotaskBehaviour;
  readonly clock: Clock;
  readonly user: ApiUser;
  /** The acting resource: the API user's own, or the impersonated one. */
  readonly actingResourceId: number;
  readonly isImpersonating: boolean;
}

const procurementEntities = new Set(['PurchaseOrders', 'PurchaseOrderItems', 'PurchaseOrderItemReceiving']);
const lineOfBusinessEntities = new Set([
  'BillingItems',
  'ExpenseReports',
  'Contracts',
  'ContractCharges',
  'ProjectCharges',
  'TicketCharges',
]);
/** Fields hidden by the “can't read costs” security level (autotask reference section 12, number 16). */
const costFields = [
  'unitCost',
  'internalCurrencyUnitCost',
  'ourCost',
  'extendedCost',
  'vendorCost',
  'internalCost',
  'estimatedCost',
];

/** The table of an entity. */
export function tableOf(world: Pick<World, 'tables'>, entity: string): Table {
  const table = world.tables.get(entity);
  if (table === undefined) throw new Error(`no table is called ${entity}`);
  return table;
}

/**
 * Returns the filter of records visible to the caller; undefined when all are visible. Restrictions hide records
 * silently. Throws Refused when the entity's module is off and the service reports that.
 */
export function visibility(world: World, type: EntityType): ((row: Row) => boolean) | undefined {
  const { behaviour, user } = world;
  if (procurementEntities.has(type.name) && !behaviour.get('module_procurement')) {
    if (behaviour.get('procurement_off_answer') === 'empty') return () => false;
    throw new Refused(`The logged in Resource does not have the adequate permissions to access ${type.singular}.`);
  }
  if (type.name === 'Currencies' && !behaviour.get('module_multi_currency'))
    return (row) => row.isInternalCurrency === true;
  if (type.name === 'Resources' && !behaviour.get('api_users_listed')) return (row) => row.licenseType !== 7;
  const lines = user.linesOfBusiness;
  if (lines === null) return undefined;
  const isMine = (row: Row): boolean => {
    const line = row.organizationalLevelAssociationID;
    return typeof line !== 'number' || lines.includes(line);
  };
  if (lineOfBusinessEntities.has(type.name)) return isMine;
  if (type.name === 'Invoices')
    return (row) => {
      const items = tableOf(world, 'BillingItems').where('invoiceID', row.id);
      return items.length === 0 || items.some(isMine);
    };
  return undefined;
}

/** Returns a visible record by id. */
export function visibleRow(world: World, type: EntityType, id: number): Row | undefined {
  const row = tableOf(world, type.name).get(id);
  const isVisible = visibility(world, type);
  return row !== undefined && (isVisible === undefined || isVisible(row)) ? row : undefined;
}

function dressed(world: World, type: EntityType, row: Row): Record<string, unknown> {
  const { behaviour, user } = world;
  const changes: Record<string, unknown> = {};
  if (type.name === 'Invoices' && !behaviour.get('invoice_total_includes_tax'))
    changes.invoiceTotal = Math.round((Number(row.invoiceTotal) - Number(row.totalTaxValue)) * 10_000) / 10_000;
  // As read from live systems: 1 and no method without the option. The values with it are not documented.
  if (type.name === 'Invoices' && (row.invoiceTaxMethodExternalCode ?? null) === null) {
    const isOn = behaviour.get('quickbooks_calculates_taxes');
    changes.invoiceStatus = isOn ? 2 : 1;
    changes.invoiceTaxMethodExternalCode = isOn ? 'QBO' : null;
  }
  if (type.name === 'Taxes' && behaviour.get('tax_rate_form') === 'fraction')
    changes.taxRate = Math.round(Number(row.taxRate) * 1e6) / 1e8;
  if (isShifted(behaviour, type))
    for (const field of type.fields) {
      const value = row[field.name];
      if (field.picklist !== undefined && typeof value === 'number')
        changes[field.name] = toWire(behaviour, type, field.name, value);
    }
  if (!user.readCosts) for (const name of costFields) if (name in row) changes[name] = null;
  if (type.name !== 'ExpenseItems') return Object.keys(changes).length === 0 ? row : { ...row, ...changes };
  return Object.fromEntries(
    Object.entries({ ...row, ...changes }).map(([name, value]) => [wireName(type, name, behaviour), value]),
  );
}

/** Returns a record as in responses, with all columns or some. */
export function present(
  world: World,
  type: EntityType,
  row: Row,
  columns?: readonly string[],
  userDefinedColumns: readonly string[] = [],
): Record<string, unknown> {
  const full = dressed(world, type, row);
  if (columns === undefined) return full;
  const some: Record<string, unknown> = {};
  for (const name of columns) {
    const spelt = wireName(type, name, world.behaviour);
    some[spelt] = full[spelt];
  }
  if (Array.isArray(row.userDefinedFields))
    some.userDefinedFields = row.userDefinedFields.filter((field) => userDefinedColumns.includes(field.name));
  return some;
}

import type { PsaFieldInfoEntity, PsaQuery, PsaQueryEntity } from '#core/ports/psa.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { TenantContext } from '../context.ts';

/** Queries of screens to the connected services; each may throw a ServiceError or the Refusal `not_connected`. */

/** Returns records of the PSA in its own JSON. */
export const queryPsa = async (context: TenantContext, entity: PsaQueryEntity, query: PsaQuery): Promise<JsonObject> =>
  (await context.psa()).query(entity, query);

/** Returns the number of matching companies in the PSA. */
export const countCompanies = async (context: TenantContext, query: PsaQuery): Promise<JsonObject> =>
  (await context.psa()).count('Companies', query);

/** Returns the PSA's description of the fields of an entity. */
export const readFieldInfo = async (context: TenantContext, entity: PsaFieldInfoEntity): Promise<JsonObject> =>
  (await context.psa()).fieldInfo(entity);

/** Returns QuickBooks customers whose name contains this text. */
export const searchCustomers = async (context: TenantContext, name: string): Promise<readonly JsonObject[]> =>
  (await context.accounting()).searchCustomers(name);

/** Returns QuickBooks vendors whose name contains this text. */
export const searchVendors = async (context: TenantContext, name: string): Promise<readonly JsonObject[]> =>
  (await context.accounting()).searchVendors(name);

/** Returns QuickBooks items whose name contains this text, with these attributes. */
export const searchItems = async (
  context: TenantContext,
  name: string,
  attributes: readonly string[],
): Promise<readonly JsonObject[]> => (await context.accounting()).searchItems(name, attributes);

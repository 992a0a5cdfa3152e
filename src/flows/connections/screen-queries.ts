import type { PsaFieldInfoEntity, PsaQuery, PsaQueryEntity } from '#core/ports/psa.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { TenantContext } from '../context.ts';

/** Questions that screens ask the connected services; each may throw a ServiceError or the Refusal `not_connected`. */

/** Records of the PSA, in the PSA's own JSON. */
export const queryPsa = async (context: TenantContext, entity: PsaQueryEntity, query: PsaQuery): Promise<JsonObject> =>
  (await context.psa()).query(entity, query);

/** How many companies of the PSA match. */
export const countCompanies = async (context: TenantContext, query: PsaQuery): Promise<JsonObject> =>
  (await context.psa()).count('Companies', query);

/** The PSA's description of the fields of an entity. */
export const readFieldInfo = async (context: TenantContext, entity: PsaFieldInfoEntity): Promise<JsonObject> =>
  (await context.psa()).fieldInfo(entity);

/** Customers of the books whose name holds this text. */
export const searchCustomers = async (context: TenantContext, name: string): Promise<readonly JsonObject[]> =>
  (await context.accounting()).searchCustomers(name);

/** Vendors of the books whose name holds this text. */
export const searchVendors = async (context: TenantContext, name: string): Promise<readonly JsonObject[]> =>
  (await context.accounting()).searchVendors(name);

/** Items of the books whose name holds this text, with these attributes. */
export const searchItems = async (
  context: TenantContext,
  name: string,
  attributes: readonly string[],
): Promise<readonly JsonObject[]> => (await context.accounting()).searchItems(name, attributes);

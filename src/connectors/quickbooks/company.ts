import type { QuickbooksApi } from './api.ts';
import { isRecord, readOnlyCompany, wrongShape, type JsonRecord } from './errors.ts';
import { planName, readOnlyStatus, toCompanyInfo, toPreferences } from './translate.ts';
import { qboCompanyInfo, qboPreferences, readShape } from './wire.ts';

async function readSingle(
  api: QuickbooksApi,
  entity: 'Preferences' | 'CompanyInfo',
  path: string,
): Promise<JsonRecord> {
  const operation = `read ${entity}`;
  const object = (await api.read({ operation, path }))[entity];
  if (!isRecord(object)) throw wrongShape(operation, `QuickBooks returned no ${entity}.`);
  return object;
}
/** Returns the preferences as QuickBooks sends them. */
export const rawPreferences = (api: QuickbooksApi) => readSingle(api, 'Preferences', 'preferences');

/** Returns the company as QuickBooks sends it. */
export const rawCompanyInfo = (api: QuickbooksApi) => readSingle(api, 'CompanyInfo', 'companyinfo/{realm}');

/** Returns the preferences that decide what can be posted. */
export const readPreferences = async (api: QuickbooksApi) =>
  toPreferences(readShape('read Preferences', qboPreferences, await rawPreferences(api)));

const companyInfo = async (api: QuickbooksApi) =>
  readShape('read CompanyInfo', qboCompanyInfo, await rawCompanyInfo(api));

/** Returns the company. */
export const readCompany = async (api: QuickbooksApi) => toCompanyInfo(await companyInfo(api));

/** Returns the name of the QuickBooks plan; null if it cannot be read. */
export const readPlanName = (api: QuickbooksApi) => companyInfo(api).then(planName, () => null);

/** Returns the name of the company. @throws ServiceError if the company is read-only. */
export async function identify(api: QuickbooksApi): Promise<string> {
  const company = await companyInfo(api);
  const status = readOnlyStatus(company);
  if (status !== null) throw readOnlyCompany('identify the company', status);
  return toCompanyInfo(company).name;
}

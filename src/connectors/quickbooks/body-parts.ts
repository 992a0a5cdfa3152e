/** Parts of the bodies of our requests; pure. */
import type { Address } from '#core/documents/party.ts';
import type { Reference } from '#core/planning/plan.ts';
import type { Decimal } from '#core/values/decimal.ts';
import type { Json, JsonObject } from '#core/values/json.ts';

/** Form of a decimal in the body: for showing, or for sending with exactly its digits. */
export type SetNumber = (value: Decimal) => Json;

/** Form of a body's reference to the record that a command names. */
export type Refer = (reference: Reference) => JsonObject;

/** Leaves out absent members: null is not “clear” to QuickBooks but an error or nothing. */
export const withoutGaps = (members: Readonly<Record<string, Json>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

export const valueOf = (value: string | null): JsonObject | null => (value === null ? null : { value });

export const addressBody = (address: Address | null): JsonObject | null =>
  address === null ? null : withoutGaps({ Line1: address.line1, Line2: address.line2, ...placeOf(address) });

/** The members of an address below its street. */
export const placeOf = (address: Address): Readonly<Record<string, Json>> => ({
  City: address.city,
  CountrySubDivisionCode: address.state,
  PostalCode: address.postalCode,
  Country: address.country,
});

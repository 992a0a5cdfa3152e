/** Parts of request bodies; pure. */
import type { Address } from '#core/documents/party.ts';
import type { Reference } from '#core/planning/plan.ts';
import type { Decimal } from '#core/values/decimal.ts';
import type { Json, JsonObject } from '#core/values/json.ts';

/** Converts a decimal for the body: for display, or for sending with exactly its digits. */
export type SetNumber = (value: Decimal) => Json;

/** Converts a reference to a record that a command names. */
export type Refer = (reference: Reference) => JsonObject;

/** Removes absent members, because QuickBooks does not clear a field for null: it fails or ignores it. */
export const withoutGaps = (members: Readonly<Record<string, Json>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

export const valueOf = (value: string | null): JsonObject | null => (value === null ? null : { value });

export const addressBody = (address: Address | null): JsonObject | null =>
  address === null ? null : withoutGaps({ Line1: address.line1, Line2: address.line2, ...placeOf(address) });

/** Returns the members of an address below its street. */
export const placeOf = (address: Address): Readonly<Record<string, Json>> => ({
  City: address.city,
  CountrySubDivisionCode: address.state,
  PostalCode: address.postalCode,
  Country: address.country,
});

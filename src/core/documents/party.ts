/** A postal address in the form of both services; absent parts are null. */
export interface Address {
  readonly line1: string | null;
  readonly line2: string | null;
  readonly city: string | null;
  /** State or province, as the service spells it. */
  readonly state: string | null;
  readonly postalCode: string | null;
  /** ISO 3166 code of the country. */
  readonly country: string | null;
}

/** A PSA company: a customer (type 1) or a vendor (type 7). */
export interface Company {
  readonly id: number;
  readonly name: string;
  readonly type: number;
  readonly isActive: boolean;
  readonly isTaxExempt: boolean;
  readonly taxId: string | null;
  readonly phone: string | null;
  readonly address: Address;
  /** The resolved billing address; all parts null when the PSA has none. */
  readonly billingAddress: Address;
  readonly currencyId: number | null;
  /** Email address of the active primary contact; null when contacts cannot be read. */
  readonly email: string | null;
  /** Name of that contact; absent or null when it has none. */
  readonly contactName?: string | null;
}

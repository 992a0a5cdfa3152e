/** Any value that JSON can carry; amounts inside it are text unless a connector says otherwise. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

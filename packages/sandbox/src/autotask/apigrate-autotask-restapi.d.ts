/** The independent client of the tests has no types. These are the calls they make. */
declare module '@apigrate/autotask-restapi' {
  type Json = Record<string, unknown>;
  interface EntityCalls {
    query(search: Json): Promise<{ items: Json[]; pageDetails: Json }>;
    count(search: Json): Promise<{ queryCount: number }>;
    get(id?: number): Promise<Json>;
    create(...args: readonly unknown[]): Promise<{ itemId: number }>;
    update(...args: readonly unknown[]): Promise<Json>;
    replace(...args: readonly unknown[]): Promise<Json>;
    delete(...args: readonly unknown[]): Promise<Json>;
    info(): Promise<Json>;
    fieldInfo(): Promise<Json>;
    udfInfo(): Promise<Json>;
  }
  export class AutotaskApiError extends Error {
    status: number;
    details: unknown;
  }
  interface AutotaskRestApi {
    readonly [entity: string]: EntityCalls | undefined;
  }
  export const AutotaskRestApi: new (
    user: string,
    secret: string,
    code: string,
    options: { base_url: string },
  ) => AutotaskRestApi;
}

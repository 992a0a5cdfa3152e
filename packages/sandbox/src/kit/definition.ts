/** Types by which a sandbox describes itself, its requests and its responses. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Behaviour } from './behaviour.ts';
import type { Clock } from './clock.ts';
import type { Html } from './html.ts';
import type { JsonObject } from './input.ts';
import type { LimitSettings } from './limits.ts';

/** One complete request, with its whole body. */
export interface SandboxRequest {
  /** Its number in the journal. */
  readonly sequence: number;
  /** Upper case. */
  readonly method: string;
  /** As sent, still percent-encoded, without the query. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  /** The query, decoded. */
  readonly params: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body as UTF-8 text. */
  readonly text: () => string;
  /**
   * Address under which the client reached the sandbox, for links in responses: `http://host:port`, without a trailing
   * slash.
   */
  readonly baseUrl: string;
}

/** A response to send. The body is sent byte for byte; only Content-Length is added to the headers. */
export interface SandboxAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Whether data changed, for the journal. */
  readonly applied?: boolean;
}

/** The decision about a request before it is handled. */
export interface Admission {
  /** Owner of the credentials in the request, for the journal; null when they are missing or wrong. */
  readonly owner: string | null;
  /** Sends this response instead of handling the request. */
  readonly refuse?: SandboxAnswer | undefined;
  /** Real milliseconds to wait before handling. */
  readonly delayMs?: number | undefined;
  /** Called once when the response is sent or the connection is cut: ends the request for limits on parallel calls. */
  readonly release?: (() => void) | undefined;
}

/** A service that can be started. */
export interface ServiceDefinition {
  /** Name for people on the web page, e.g. “Autotask”. */
  readonly name: string;
  readonly clock: Clock;
  readonly behaviour: Pick<Behaviour, 'describe' | 'change' | 'reset'>;
  readonly limits: Pick<LimitSettings, 'describe' | 'change' | 'reset'>;
  readonly control: ControlHooks;
  admitRequest(request: SandboxRequest): Admission;
  handle(request: SandboxRequest): SandboxAnswer | Promise<SandboxAnswer>;
}

/** The service's records, as a person in that product could change them. Every method may throw BadInput. */
export interface EntityHooks {
  /** Returns the entities' names, as the service's API spells them, with the number of records. */
  list(): readonly { readonly name: string; readonly count: number }[];
  /** Returns all records of an entity; undefined for an unknown entity. */
  items(entity: string): readonly JsonObject[] | undefined;
  /** Returns one record; undefined when it does not exist. */
  item(entity: string, id: string): JsonObject | undefined;
  /** Sets the given fields of a record, or creates the record under that id. */
  put(entity: string, id: string, fields: JsonObject): JsonObject;
  /** Creates a record, under a new id unless the fields name one. */
  post(entity: string, fields: JsonObject): JsonObject;
  /** Removes a record; returns false when it does not exist. */
  remove(entity: string, id: string): boolean;
}

/** A page for people, at `/__sandbox?view={key}`. */
export interface PageView {
  readonly key: string;
  /** Text of its link. */
  readonly title: string;
  readonly render: (request: SandboxRequest) => Html;
}

/** The service-specific part of the control API. */
export interface ControlHooks {
  readonly entities: EntityHooks;
  /** Returns the records for a request, when a service has several sets of them. */
  readonly entitiesFor?: (request: SandboxRequest) => EntityHooks;
  /** Creates fresh data from the body of `POST /__sandbox/reset` and resets the clock; returns the response. */
  reset(body: JsonObject): JsonObject;
  /** The answer to `GET /__sandbox/credentials`. */
  credentials(request: SandboxRequest): JsonObject;
  /** Additional calls, by method and path below `/__sandbox`: `'POST /revoke'`. The body is `{}` when none was sent. */
  readonly calls?: Readonly<Record<string, (body: JsonObject, request: SandboxRequest) => JsonObject>>;
  readonly page: {
    /** The columns that an entity's table shows; all fields when undefined. */
    columns(entity: string): readonly string[] | undefined;
    /** Renders a record as a person would see it in that product; undefined when its fields are enough. */
    document(entity: string, id: string, request: SandboxRequest): Html | undefined;
    /** Pages that show the records as that product would; the first one is the sandbox's start page. */
    readonly views?: readonly PageView[];
    /** Buttons for common faults: the label, and the body for `POST /__sandbox/faults`. */
    readonly faults: readonly { readonly label: string; readonly rule: JsonObject }[];
  };
}

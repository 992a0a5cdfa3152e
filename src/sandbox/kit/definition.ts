/** Parts that a stand-in describes itself by, and that a request and its answer consist of. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Behaviour } from './behaviour.ts';
import type { Clock } from './clock.ts';
import type { Html } from './html.ts';
import type { JsonObject } from './input.ts';
import type { LimitSettings } from './limits.ts';

/** One request, whole: its body has been read to the end. */
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
  /** Address under which the client reached us, for links in answers: `http://host:port`, no slash at the end. */
  readonly baseUrl: string;
}

/** An answer to send. The body goes out byte for byte; nothing is added to the headers but Content-Length. */
export interface SandboxAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Whether data changed. The journal shows it. */
  readonly applied?: boolean;
}

/** The verdict about a request before it is handled. */
export interface Admission {
  /** Owner of the credentials that came with it, for the journal; null when they are missing or wrong. */
  readonly owner: string | null;
  /** Answer this and do not handle the request. */
  readonly refuse?: SandboxAnswer | undefined;
  /** Real milliseconds to wait before it is handled. */
  readonly delayMs?: number | undefined;
  /** Called once, when the answer is out or the connection cut: ends what counts as “at once”. */
  readonly release?: (() => void) | undefined;
}

/** A service that can be started. */
export interface ServiceDefinition {
  /** For people, on the web page: “Autotask”. */
  readonly name: string;
  readonly clock: Clock;
  readonly behaviour: Pick<Behaviour, 'describe' | 'change' | 'reset'>;
  readonly limits: Pick<LimitSettings, 'describe' | 'change' | 'reset'>;
  readonly control: ControlHooks;
  admit(request: SandboxRequest): Admission;
  handle(request: SandboxRequest): SandboxAnswer | Promise<SandboxAnswer>;
}

/** The service's records, as a person who works in that product could change them. Every method may throw BadInput. */
export interface EntityHooks {
  /** The entities' names, as the service's own API spells them, with the number of records. */
  list(): readonly { readonly name: string; readonly count: number }[];
  /** All records of an entity; undefined when there is no such entity. */
  items(entity: string): readonly JsonObject[] | undefined;
  /** One record; undefined when there is none. */
  item(entity: string, id: string): JsonObject | undefined;
  /** Sets the given fields of a record, or makes the record under that id. */
  put(entity: string, id: string, fields: JsonObject): JsonObject;
  /** Makes a record, under a new id unless the fields name one. */
  post(entity: string, fields: JsonObject): JsonObject;
  /** Removes a record; false when there is none. */
  remove(entity: string, id: string): boolean;
}

/** A page for people, at `/__sandbox?view={key}`. */
export interface PageView {
  readonly key: string;
  /** Text of the link to it. */
  readonly title: string;
  readonly render: (request: SandboxRequest) => Html;
}

/** The part of the control API that a service adds. */
export interface ControlHooks {
  readonly entities: EntityHooks;
  /** The records that a request is about, for a service that keeps several sets of them. */
  readonly entitiesFor?: (request: SandboxRequest) => EntityHooks;
  /** Makes fresh data from the body of `POST /__sandbox/reset`, the clock included; answers what to tell. */
  reset(body: JsonObject): JsonObject;
  /** The answer to `GET /__sandbox/credentials`. */
  credentials(request: SandboxRequest): JsonObject;
  /** More calls, by method and path below `/__sandbox`: `'POST /revoke'`. The body is `{}` when none was sent. */
  readonly calls?: Readonly<Record<string, (body: JsonObject, request: SandboxRequest) => JsonObject>>;
  readonly page: {
    /** The columns that an entity's table shows; all fields when undefined. */
    columns(entity: string): readonly string[] | undefined;
    /** A record as a person would see it in that product; undefined when its fields are all there is to see. */
    document(entity: string, id: string, request: SandboxRequest): Html | undefined;
    /** Pages that show the records as that product would; the first one opens the sandbox. */
    readonly views?: readonly PageView[];
    /** Buttons for usual faults: what stands on it, and the body for `POST /__sandbox/faults`. */
    readonly faults: readonly { readonly label: string; readonly rule: JsonObject }[];
  };
}

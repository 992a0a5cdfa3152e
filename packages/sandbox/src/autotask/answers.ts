import type { SandboxAnswer } from '../kit/definition.ts';

/** A request that the service refuses; the texts become its `errors` list (autotask reference section 2). */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly errors: readonly string[];
  readonly status: number;

  constructor(errors: string | readonly string[], status = 500) {
    const list = typeof errors === 'string' ? [errors] : errors;
    super(list.join(' '));
    this.errors = list;
    this.status = status;
  }
}

const jsonType = { 'Content-Type': 'application/json; charset=utf-8' };

/** A JSON answer. */
export function json(value: unknown, status = 200, applied = false): SandboxAnswer {
  return { status, headers: jsonType, body: JSON.stringify(value), applied };
}

/** Returns the response to every write: the record is not echoed. */
export function itemId(id: number): SandboxAnswer {
  return json({ itemId: id }, 200, true);
}

/**
 * Returns an error response as the service words it: almost always with status 500, even when the request is at fault.
 */
export function errors(
  list: readonly string[],
  status = 500,
  headers: Readonly<Record<string, string>> = {},
): SandboxAnswer {
  return { status, headers: { ...jsonType, ...headers }, body: JSON.stringify({ errors: list }) };
}

/** Rejects a verb that the path does not support: `Message` with a capital letter, and no `errors`. */
export function verbNotSupported(method: string): SandboxAnswer {
  return json({ Message: `The requested resource does not support http method '${method}'.` }, 405);
}

/** Rejects a body of another type than JSON, as the web framework in front does. */
export function mediaTypeNotSupported(type: string): SandboxAnswer {
  return json({ Message: `The request entity's media type '${type}' is not supported for this resource.` }, 415);
}

/** Returns an HTML page as the web server in front of the service creates it. */
export function htmlPage(status: number, title: string): SandboxAnswer {
  return {
    status,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    body: `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`,
  };
}

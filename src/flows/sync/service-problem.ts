import { problem, type Problem } from '#core/problems.ts';
import type { ServiceError } from '#core/service-error.ts';

/** What a refusal by one of the services means for a document, in the words of the catalogue. */
export function serviceProblem(error: ServiceError): Problem {
  return problem(error.about.code, { detail: error.about.detail });
}

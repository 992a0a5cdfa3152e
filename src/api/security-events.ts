import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import type { RouteDefinition } from '#contract/define.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import { Refusal } from '#core/refusal.ts';
import { securityEventNames, type SecurityEvent } from '#core/security-event.ts';
import type { App } from '#flows/context.ts';
import type { Principal } from '#flows/access/principal.ts';
import { TooManyCalls } from './rates.ts';

/**
 * Logs security events by name (logins and permission changes) at `info`, and counts them for alerts. Flows write the
 * events of a client's users to the client's audit trail.
 */
export interface SecurityEvents {
  note(name: SecurityEvent, request: FastifyRequest, who?: Pick<Principal, 'userId' | 'client' | 'masquerader'>): void;
  /** Records the security event of a failure, if it has one. */
  noteFailure(error: Error, request: FastifyRequest, who?: Principal): void;
  /** Records the security event of a successful call, if it has one. */
  noteSuccess(route: string, request: FastifyRequest, who?: Principal): void;
}

/** Events of rejected calls, by error code. */
const failures: Readonly<Record<string, SecurityEvent>> = {
  credentials_wrong: 'sign_in.failed',
  code_refused: 'sign_in.failed',
  provider_refused: 'sign_in.failed',
  provider_required: 'sign_in.failed',
  too_many_tries: 'sign_in.locked_out',
  unauthorized: 'session.refused',
  forbidden: 'access.refused',
  email_unproved: 'access.refused',
  subscription_suspended: 'access.refused',
  client_moved: 'access.refused',
  wrong_browser: 'connection.refused',
  session_ended: 'connection.refused',
  link_expired: 'request.refused',
  validation_failed: 'request.refused',
  password_wrong: 'password.refused',
  password_refused: 'password.refused',
  code_wrong: 'second_factor.refused',
  registration_refused: 'registration.refused',
  company_taken: 'connection.refused',
  not_signed: 'webhook.refused',
};

/** Records events with the user and the address, but never with input: users type passwords into the wrong field. */
export function createSecurityEvents({ logger }: Pick<App, 'logger'>, registry: Registry): SecurityEvents {
  const name = 'tallybridge_security_events_total';
  registry.removeSingleMetric(name);
  const counter = new Counter({
    name,
    help: 'Security events by name: logins, refusals, changes of who may do what.',
    labelNames: ['event'],
    registers: [registry],
  });
  for (const event of securityEventNames) counter.inc({ event }, 0);

  const note: SecurityEvents['note'] = (event, request, who) => {
    counter.inc({ event });
    const fields = {
      event,
      requestId: request.id,
      address: request.ip,
      method: request.method,
      route: request.routeOptions.url,
      ...(who === undefined ? {} : personOf(who)),
    };
    logger.info(fields, 'security event');
  };
  return {
    note,
    noteFailure(error, request, who) {
      if (error instanceof TooManyCalls) note('requests.limited', request, who);
      const event = error instanceof Refusal ? failures[error.code] : undefined;
      if (event !== undefined) note(event, request, who);
    },
    noteSuccess(route, request, who) {
      const event = Object.hasOwn(routes, route) ? definitionOf(route as RouteName).event : undefined;
      if (event !== undefined) note(event, request, who);
      else if (who !== undefined && who.masquerader !== null)
        note(request.method === 'GET' ? 'masquerade.read' : 'masquerade.changed', request, who);
    },
  };
}

const definitionOf = (name: RouteName): RouteDefinition => routes[name];

const personOf = ({ userId, client, masquerader }: Pick<Principal, 'userId' | 'client' | 'masquerader'>) => ({
  userId,
  ...(client === null ? {} : { tenantId: client.id }),
  ...(masquerader === null ? {} : { isMasquerading: true }),
});

/** Records every successful call by its name in the contract. */
export function noteSuccesses(
  server: FastifyInstance,
  events: SecurityEvents,
  principalOf: (request: FastifyRequest) => Principal | undefined,
): void {
  server.addHook('onResponse', async (request, reply) => {
    const { operationId } = (request.routeOptions.schema ?? {}) as { readonly operationId?: string };
    const isRefusedByRedirect = /[?&]error=/.test(String(reply.getHeader('location') ?? ''));
    if (operationId !== undefined && reply.statusCode < 400 && !isRefusedByRedirect)
      events.noteSuccess(operationId, request, principalOf(request));
  });
}

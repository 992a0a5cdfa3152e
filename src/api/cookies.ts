import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Cookies of Tallybridge. `session` is one half of a browser's session (the token is the other). `device` identifies a
 * browser that logged in before. `provider` ties a sign-in at a provider to one browser, and `consent` and `form` tie the steps of connecting a service to one browser; `sign-on`
 * does the same for the PSA sign-on.
 */
const cookies = {
  session: { sameSite: 'strict', maxAgeSeconds: null },
  device: { sameSite: 'strict', maxAgeSeconds: 365 * 86_400 },
  // The consent page redirects from another site, and browsers do not send strict cookies then.
  consent: { sameSite: 'lax', maxAgeSeconds: 900 },
  provider: { sameSite: 'lax', maxAgeSeconds: 900 },
  form: { sameSite: 'strict', maxAgeSeconds: 1_800 },
  'sign-on': { sameSite: 'strict', maxAgeSeconds: 300 },
} as const;
export type CookieName = keyof typeof cookies;

export interface CookieJar {
  read(request: FastifyRequest, name: CookieName): string | null;
  set(reply: FastifyReply, name: CookieName, value: string): void;
  clear(reply: FastifyReply, name: CookieName): void;
}

/**
 * @param isSecure true if the application uses https: cookies are then limited to this exact host and never sent over
 * http.
 */
export function cookieJar(isSecure: boolean): CookieJar {
  const fullName = (name: CookieName) => `${isSecure ? '__Host-' : ''}tallybridge-${name}`;
  const attributes = (name: CookieName) =>
    ({ path: '/', httpOnly: true, secure: isSecure, sameSite: cookies[name].sameSite }) as const;
  return {
    read: (request, name) => request.cookies[fullName(name)] ?? null,
    set(reply, name, value) {
      const { maxAgeSeconds } = cookies[name];
      reply.setCookie(fullName(name), value, {
        ...attributes(name),
        ...(maxAgeSeconds === null ? {} : { maxAge: maxAgeSeconds }),
      });
    },
    clear: (reply, name) => void reply.clearCookie(fullName(name), attributes(name)),
  };
}

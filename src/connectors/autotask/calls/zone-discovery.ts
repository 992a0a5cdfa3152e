import { ServiceError } from '#core/service-error.ts';
import type { ZoneFinder } from '../zone.ts';
import type { Send, ZonedCall } from './call.ts';

/**
 * Middleware: sends calls to the zone of the tenant's database. A refused sign-in or an unknown address may mean that
 * the database was moved: the zone is looked up again, and the call is sent a second time.
 */
export const withZoneDiscovery =
  (zones: ZoneFinder, next: Send<ZonedCall>): Send =>
  async (call) => {
    const zone = await zones.find();
    try {
      return await next({ ...call, zone });
    } catch (error) {
      const status = error instanceof ServiceError ? error.about.status : undefined;
      const hasMoved = status === 404 || (status !== undefined && status >= 300 && status < 400);
      if (status !== 401 && !hasMoved) throw error;
      const found = await zones.findAgain();
      if (hasMoved && found.url === zone.url) throw error;
      return next({ ...call, zone: found });
    }
  };

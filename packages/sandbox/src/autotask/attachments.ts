/** Files attached to expense reports and their items (autotask reference sections 3 and 6). */
import type { Clock } from '../kit/clock.ts';
import type { SandboxAnswer, SandboxRequest } from '../kit/definition.ts';
import { itemId, json, Refused } from './answers.ts';
import { property } from './query.ts';
import { parseBody } from './read.ts';
import { noMatch } from './rules.ts';
import type { EntityType } from './schema.ts';
import { visibleRow, type World } from './world.ts';

interface Attachment {
  readonly id: number;
  readonly parentID: number;
  readonly attachDate: string;
  readonly attachedByResourceID: number;
  readonly attachmentType: string;
  readonly contentType: string;
  readonly fileSize: number;
  readonly fullPath: string;
  readonly publish: number;
  readonly title: string;
  readonly data: string;
}

/** The store of attachments. */
export interface Attachments {
  /** Handlers by HTTP method at `/{Entity}/{id}/Attachments` and below. */
  handlers(
    world: World,
    type: EntityType,
    parentId: number,
    rest: readonly string[],
    request: SandboxRequest,
  ): Readonly<Partial<Record<string, () => SandboxAnswer>>>;
  reset(): void;
}

const maxBytesEach = 7_000_000;
const maxBytesPerWindow = 10_000_000;
const windowMs = 300_000;

/** Creates an empty store. */
export function createAttachments(clock: Clock): Attachments {
  let stored = new Map<number, Attachment & { readonly entity: string }>();
  let lastId = 0;
  let recent: { readonly at: number; readonly bytes: number }[] = [];

  const create = (world: World, type: EntityType, parentId: number, body: unknown): SandboxAnswer => {
    if (visibleRow(world, type, parentId) === undefined) throw noMatch(type);
    if (typeof body !== 'object' || body === null) throw new Refused('The request has no attachment.');
    const record = Object.fromEntries(Object.entries(body));
    const text = (name: string): string => {
      const value = property(record, name);
      return typeof value === 'string' ? value : '';
    };
    const [data, title] = [text('data'), text('title')];
    if (data === '' || title === '') throw new Refused('An attachment needs title and data.');
    const bytes = Buffer.from(data, 'base64').length;
    if (bytes > maxBytesEach) throw new Refused('The attachment is larger than 7 MB.');
    recent = recent.filter((entry) => entry.at > clock.now() - windowMs);
    const total = recent.reduce((sum, entry) => sum + entry.bytes, 0);
    if (total + bytes > maxBytesPerWindow)
      throw new Refused('More than 10,000,000 bytes of attachments within 5 minutes.');
    recent.push({ at: clock.now(), bytes });
    lastId += 1;
    stored.set(lastId, {
      entity: type.name,
      id: lastId,
      parentID: parentId,
      attachDate: clock.iso(),
      attachedByResourceID: world.actingResourceId,
      attachmentType: text('attachmentType') || 'FILE_ATTACHMENT',
      contentType: text('contentType') || 'application/octet-stream',
      fileSize: bytes,
      fullPath: text('fullPath') || title,
      publish: 1,
      title,
      data,
    });
    return itemId(lastId);
  };

  return {
    handlers(world, type, parentId, rest, request) {
      const [idText, ...more] = rest;
      if (more.length > 0) return {};
      const mine = [...stored.values()].filter((entry) => entry.entity === type.name && entry.parentID === parentId);
      const shown = (
        { entity: _entity, data, ...entry }: Attachment & { readonly entity: string },
        whole: boolean,
      ) => ({
        ...entry,
        data: whole ? data : null,
      });
      if (idText === undefined)
        return {
          // Only a request for a single attachment returns its content.
          GET: () =>
            json({
              items: mine.map((entry) => shown(entry, false)),
              pageDetails: { count: mine.length, requestCount: 500, prevPageUrl: null, nextPageUrl: null },
            }),
          POST: () => create(world, type, parentId, parseBody(request.text())),
        };
      const found = mine.find((entry) => entry.id === Number(idText));
      return {
        GET: () => json({ item: found === undefined ? null : shown(found, true) }),
        DELETE() {
          if (found === undefined) throw noMatch(type);
          stored.delete(found.id);
          return itemId(found.id);
        },
      };
    },
    reset() {
      stored = new Map();
      lastId = 0;
      recent = [];
    },
  };
}

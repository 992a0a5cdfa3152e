import type { AutotaskApi } from './api.ts';
import { wrongShape } from './errors.ts';

/**
 * Writes fields of one record; may be repeated. Writes go to the collection, the id stands in the body (autotask
 * reference section 6).
 */
export async function writeFields(
  api: AutotaskApi,
  { entity, noun, id }: { readonly entity: string; readonly noun: string; readonly id: number },
  fields: object,
): Promise<void> {
  const operation = `write to the ${noun}`;
  const body = { id, ...fields };
  const answer = await api.call({ operation, method: 'PATCH', path: entity, body, document: `${noun} ${id}` });
  if (answer.itemId !== undefined && Number(answer.itemId) !== id) throw wrongShape(operation, `another ${noun}`);
}

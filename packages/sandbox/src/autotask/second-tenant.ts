/**
 * A second tenant that no client uses at first: the sample world's catalog under other names, and a realistic month.
 */
import type { Fields, RecordBuilder } from './record-builder.ts';
import { writeMonthEnd } from './sample-month-end.ts';
import { writeReferenceData } from './sample-world.ts';
import type { Value } from './table.ts';

const names: readonly (readonly [from: string, to: string])[] = [
  ['Northwind IT Services', 'Lakeside Technology Partners'],
  ['northwind-msp.example', 'lakeside-tech.example'],
  ['100 Lavaca Street', '40 Shoreline Drive'],
  ['Acme Dental', 'Harbor Orthodontics'],
  ['acmedental', 'harbororthodontics'],
  ['Birch Legal LLP', 'Stone & Field Law'],
  ['Birch Legal', 'Stone & Field Law'],
  ['birchlegal', 'stoneandfield'],
  ['Maple Clinic', 'Aspen Clinic'],
  ['mapleclinic', 'aspenclinic'],
  ['Cedar: Logistics', 'Pinecone Logistics'],
  ['Delta School', 'Meadow School'],
  ['deltaschool', 'meadowschool'],
  ['Ember Cafe', 'Copper Kettle'],
  ['embercafe', 'copperkettle'],
  ['Ingram Supplies', 'Summit Supplies'],
  ['Pax Cloud', 'Nimbus Cloud'],
  ['Avery', 'Morgan'],
  ['Betty', 'Lena'],
  ['betty', 'lena'],
];

const renamed = (value: Value): Value => {
  if (typeof value !== 'string') return value;
  return names.reduce((text, [from, to]) => text.replaceAll(from, to), value);
};

/** Writes the tenant's records. Ids repeat those of the sample world, but neither tenant sees the other's records. */
export function writeSecondTenant(builder: RecordBuilder): void {
  const own: RecordBuilder = {
    ...builder,
    put: (entity, fields) => {
      const { id } = fields;
      const values: Fields = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, renamed(value)]));
      builder.put(entity, { ...values, id });
    },
  };
  writeReferenceData(own);
  writeMonthEnd(own);
}

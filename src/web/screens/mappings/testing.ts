import type { MappingRowReply } from '#contract/mappings.ts';

/** Returns an unmapped row of a mapping list, for tests. */
export const rowOf = (source_value: string, of: Partial<MappingRowReply> = {}): MappingRowReply => ({
  source_value,
  label: `Record ${source_value}`,
  number: null,
  group: null,
  is_active: true,
  xref: null,
  target_label: null,
  state: null,
  state_text: null,
  distinction: null,
  ...of,
});

/** Returns a company that is mapped to a customer, unless the target is null. */
export const companyOf = (source_value: string, label: string, target: string | null = null): MappingRowReply =>
  target === null
    ? rowOf(source_value, { label })
    : rowOf(source_value, {
        label,
        xref: {
          id: '7f0c6a50-0000-4000-8000-000000000001',
          namespace: 'Customer',
          source_entity: 'Company',
          source_value,
          source_value_label: label,
          target_entity: 'Customer',
          target_value: target,
          target_value_label: `Customer ${target}`,
        },
        target_label: `Customer ${target}`,
        state: 'ok',
      });

import { inParallel } from '#core/in-parallel.ts';
import { usageDays } from '#core/mapping/usage.ts';
import type { Mapping } from '#core/mapping/mapping.ts';
import type { BodyOf } from '#contract/define.ts';
import {
  mappingChange,
  mappingRow,
  type saveMappings as saveMappingsRoute,
  suggestion,
  xref,
} from '#contract/mappings.ts';
import { Refusal } from '#core/refusal.ts';
import { actorOf } from '#flows/access/principal.ts';
import { loadPsaReference } from '#flows/connections/reference-data.ts';
import { listMappingChanges, undoMappingChange } from '#flows/mappings/history.ts';
import { removeMapping, saveMappings, withNames, type WantedMapping } from '#flows/mappings/save.ts';
import { suggestMappings } from '#flows/mappings/suggest.ts';
import { type MappingTable, readMappingTable, searchTargets, summarizeMappings } from '#flows/mappings/table.ts';
import { readUsage } from '#flows/mappings/usage.ts';
import { listMappings } from '#flows/mappings/list.ts';
import { serve, type Serving } from '../serve.ts';
import { toWire } from '../to-wire.ts';

/** The API calls a mapping an xref. */
const toXref = (mapping: Mapping) => toWire(xref, withLabels(mapping));

const withLabels = ({ sourceLabel, targetLabel, ...mapping }: Mapping) => ({
  ...mapping,
  sourceValueLabel: sourceLabel,
  targetValueLabel: targetLabel,
});

type WantedXref = NonNullable<BodyOf<typeof saveMappingsRoute>['xrefs']>[number];

const toWanted = (one: WantedXref): WantedMapping => ({
  id: one.id,
  sourceEntity: one.source_entity,
  sourceValue: one.source_value,
  sourceLabel: one.source_value_label,
  targetEntity: one.target_entity,
  targetValue: one.target_value,
  targetLabel: one.target_value_label,
  was: one.was,
});

const toRow = (row: MappingTable['rows'][number]) =>
  toWire(mappingRow, {
    ...row,
    sourceValue: row.value,
    label: row.name,
    number: row.number ?? null,
    group: row.group ?? null,
    xref: row.mapping && withLabels(row.mapping),
  });

export function mappingRoutes(serving: Serving): void {
  serve(serving, 'listMappings', async ({ context, query }) => {
    const found = await listMappings(context, query.namespace);
    const wanted = found.filter(
      (mapping) =>
        (query.source_entity === undefined || mapping.sourceEntity === query.source_entity) &&
        (query.source_value === undefined || mapping.sourceValue === query.source_value) &&
        (query.target_value === undefined || mapping.targetValue === query.target_value),
    );
    return { data: { subscription_xrefs: wanted.map(toXref) } };
  });

  serve(serving, 'saveMappings', async ({ context, params, body, principal }) => {
    const { xrefs, changes } = body;
    if ((xrefs === undefined) === (changes === undefined))
      throw new Refusal('invalid', 'validation_failed', 'Send either “xrefs” or “changes”.');
    const wanted =
      changes === undefined ? (xrefs ?? []).map(toWanted) : await withNames(context, params.namespace, changes);
    const { mappings, message } = await saveMappings(context, params.namespace, wanted, actorOf(principal), {
      isTrial: body.dry_run,
    });
    return { data: { xrefs: changes === undefined ? mappings.map(toXref) : [], message }, message };
  });

  serve(serving, 'deleteMapping', async ({ context, params, body, principal }) => {
    await removeMapping(context, params.id, actorOf(principal), body?.was);
    return { data: null };
  });

  serve(serving, 'suggestMappings', async ({ context, params }) => {
    const found = await suggestMappings(context, params.namespace);
    return {
      data: {
        suggested_xrefs: found.map((one) => toWire(suggestion, { ...one, targetValueLabel: one.targetLabel })),
      },
    };
  });
  tableRoutes(serving);
  historyRoutes(serving);
}

/** The table of a namespace and what it shows. */
function tableRoutes(serving: Serving): void {
  serve(serving, 'readMappingTable', async ({ context, params, query }) => {
    const { rows, groups, targetCount } = await readMappingTable(context, params.namespace, query);
    return { data: { rows: rows.map(toRow), groups, target_count: targetCount } };
  });

  serve(serving, 'searchMappingTargets', async ({ context, params, query }) => {
    const { targets, total } = await searchTargets(context, params.namespace, query.q, query.limit);
    return { data: { options: targets.map(({ value, label, detail }) => ({ value, text: label, detail })), total } };
  });

  serve(serving, 'readMappingUsage', async ({ context, params, query }) => {
    const [usage, psa] = await inParallel([
      readUsage(context, query),
      loadPsaReference(context, { maxAgeSeconds: Number.MAX_SAFE_INTEGER }),
    ]);
    const currency = psa.currencies.find(({ isInternal }) => isInternal)?.code ?? null;
    return { data: { days: usageDays, currency, usage: { ...usage[params.namespace] } } };
  });

  serve(serving, 'summarizeMappings', async ({ context }) => ({
    data: { namespaces: [...(await summarizeMappings(context))] },
  }));
}

/** Maximum records of a change in the history. */
const maxListed = 1_000;

function historyRoutes(serving: Serving): void {
  serve(serving, 'listMappingChanges', async ({ context, params, query }) => {
    const page = { page: query.page, pageSize: query.page_size };
    const { changes, total } = await listMappingChanges(context, params.namespace, page);
    return {
      data: {
        total,
        changes: changes.map(({ event, before, after, undoable }) =>
          toWire(mappingChange, {
            ...event,
            username: event.actor.username,
            before: before.slice(0, maxListed),
            after: after.slice(0, maxListed),
            records: new Set([...before, ...after].map(({ sourceValue }) => sourceValue)).size,
            undoable,
          }),
        ),
      },
    };
  });

  serve(serving, 'undoMappingChange', async ({ context, params, body, principal }) => {
    const { message } = await undoMappingChange(context, params.namespace, body.change, actorOf(principal));
    return { data: { message }, message };
  });
}

import { saveMappings } from '#contract/mappings.ts';
import { createAs, mappingNamespaces } from '#core/mapping/mapping.ts';
import { showMessage } from '../../lib/flash.ts';
import { useAction } from '../../lib/queries.ts';
import { Button } from '../../ui/button.tsx';
import { useReachable } from '../../ui/reachable.ts';
import { MapChooser } from './map-chooser.tsx';
import styles from './needs-attention.module.css';
import { readRepair, type CreateRepair, type MapRepair } from './repairs.ts';
import { mendingWords } from './words.ts';

type Choice = MapRepair | CreateRepair;

/** The choices of an ambiguous document: link to a record, or create a new one. Other problems have none. */
export function MappingChoices({
  problems,
}: {
  problems: readonly { readonly repairs?: readonly Readonly<Record<string, unknown>>[] | undefined }[];
}) {
  const choices = problems.flatMap(({ repairs = [] }) => choicesOf(repairs));
  // A user who may not open the mapping screens may not change mappings.
  const mayMap = useReachable()('/company-xrefs') !== null;
  if (choices.length === 0 || !mayMap) return null;
  return (
    <div className={styles.choices}>
      {choices.map((choice) =>
        choice.do === 'map' ? (
          <MapChooser key={JSON.stringify(choice)} repair={choice} />
        ) : (
          <CreateAs key={JSON.stringify(choice)} repair={choice} />
        ),
      )}
    </div>
  );
}

/** The choices among the repairs of one problem; none unless it names records to choose from or to create. */
function choicesOf(repairs: readonly Readonly<Record<string, unknown>>[]): readonly Choice[] {
  const known = repairs.flatMap((one) => readRepair(one) ?? []);
  const choices = known.flatMap((one) => (one.do === 'map' || one.do === 'create_as' ? [one] : []));
  return choices.some((one) => one.do === 'create_as' || one.candidates.length > 0) ? choices : [];
}

/** Saves that the next document creates a new customer or vendor of this name. */
export function CreateAs({ repair, onSaved }: { repair: CreateRepair; onSaved?: () => void }) {
  const save = useAction(saveMappings, {
    changes: ['attention'],
    onSuccess: () => {
      onSaved?.();
      showMessage(mendingWords.toCreate(repair.name));
    },
  });
  return (
    <Button
      variant="default"
      loading={save.isPending}
      onClick={() =>
        save.mutate({
          params: { namespace: repair.namespace },
          body: {
            xrefs: [
              {
                source_entity: repair.sourceEntity,
                source_value: repair.sourceValue,
                source_value_label: repair.sourceLabel,
                target_entity: mappingNamespaces[repair.namespace].target,
                target_value: createAs(repair.name),
                target_value_label: repair.name,
              },
            ],
          },
        })
      }
    >
      {mendingWords.createAs(repair.name)}
    </Button>
  );
}

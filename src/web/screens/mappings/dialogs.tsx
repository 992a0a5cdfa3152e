import { Box } from '@mantine/core';
import { Fragment, memo, useState } from 'react';
import type { MappingRowReply } from '#contract/mappings.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { TypeAhead, type Choice } from '../../components/type-ahead.tsx';
import { Modal } from '../../components/modal.tsx';
import type { NamespaceLabels } from './namespaces.ts';
import type { Mappings } from './use-mappings.ts';
import { countOf } from '../../data/format.ts';
import { summaryOf } from './rows.ts';

interface DialogProps {
  labels: NamespaceLabels;
  /** The selected rows; null closes the dialog. */
  rows: readonly MappingRowReply[] | null;
  mappings: Mappings;
  onClose: () => void;
  /** Called after everything was saved. */
  onDone: () => void;
}

/** Asks for the target of the selected rows and saves it. */
export const MapDialog = memo(function MapDialog({ labels, rows, mappings, onClose, onDone }: DialogProps) {
  const [chosen, setChosen] = useState<Choice | null>(null);
  const close = () => {
    setChosen(null);
    mappings.clearError();
    onClose();
  };
  const save = async () => {
    if (chosen === null || rows === null) return;
    if (await mappings.save(rows.map((row) => ({ row, target: chosen })))) {
      setChosen(null);
      onDone();
    }
  };
  return (
    <Modal opened={rows !== null} onClose={close} title={labels.mapTitle} size={480}>
      <DialogForm
        submitLabel="Save"
        cancelLabel="Close"
        error={mappings.error}
        isBusy={mappings.isSaving}
        onSubmit={() => void save()}
        onCancel={close}
      >
        <Names rows={rows ?? []} labels={labels} />
        <TypeAhead
          label={labels.targetHead}
          chosen={chosen}
          onChoose={setChosen}
          search={mappings.search}
          debounceMs={labels.debounceMs}
          isFirst
        />
      </DialogForm>
    </Modal>
  );
});

/** Confirms and deletes the mappings of the selected rows. */
export const DeleteDialog = memo(function DeleteDialog({ labels, rows, mappings, onClose, onDone }: DialogProps) {
  const mapped = (rows ?? []).filter(({ xref }) => xref !== null);
  const close = () => {
    mappings.clearError();
    onClose();
  };
  const remove = async () => {
    if (mapped.length > 0 && (await mappings.save(mapped.map((row) => ({ row, target: null }))))) onDone();
  };
  return (
    <Modal opened={rows !== null} onClose={close} title={labels.deleteTitle} size={480}>
      <DialogForm
        submitLabel="Delete"
        cancelLabel="Close"
        isDanger
        error={mappings.error}
        isBusy={mappings.isSaving}
        onSubmit={() => void remove()}
        onCancel={close}
      >
        <p>
          {mapped.length === 0
            ? 'None of these records is mapped.'
            : `Please confirm you want to delete the ${mapped.length === 1 ? 'mapping' : countOf(mapped.length, 'mapping')} of:`}
        </p>
        {mapped.length > 0 && <Names rows={mapped} labels={labels} />}
      </DialogForm>
    </Modal>
  );
});

/** Lists the selected names; `bdi` isolates the text direction of each. */
function Names({ rows, labels }: { rows: readonly MappingRowReply[]; labels: NamespaceLabels }) {
  const { shown, others } = summaryOf(rows, labels);
  return (
    <Box component="p" fw={500} style={{ overflowWrap: 'anywhere' }}>
      {shown.map(({ source_value: value, label, distinction }, at) => (
        <Fragment key={value}>
          {at > 0 && ', '}
          <bdi>{label}</bdi>
          {distinction !== null && ` (${distinction})`}
        </Fragment>
      ))}
      {others !== null && ` ${others}`}
    </Box>
  );
}

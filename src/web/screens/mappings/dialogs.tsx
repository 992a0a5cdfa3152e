import { Fragment, memo, useState } from 'react';
import type { MappingRowReply } from '#contract/mappings.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { TypeAhead, type Choice } from '../../ui/type-ahead.tsx';
import { Modal } from '../../ui/modal.tsx';
import type { NamespaceWords } from './namespaces.ts';
import { progressText } from './parts.ts';
import styles from './mappings.module.css';
import type { Mappings } from './use-mappings.ts';
import { deleteQuestion, summaryOf, mappingLabels } from './words.ts';

interface DialogProps {
  words: NamespaceWords;
  /** The rows it is about; null keeps it closed. */
  rows: readonly MappingRowReply[] | null;
  mappings: Mappings;
  onClose: () => void;
  /** After everything was saved. */
  onDone: () => void;
}

/** Asks where the selected records shall lead. Without a choice, saving does nothing. */
export const MapDialog = memo(function MapDialog({ words, rows, mappings, onClose, onDone }: DialogProps) {
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
    <Modal opened={rows !== null} onClose={close} title={words.mapTitle} size={480}>
      <DialogForm
        submitLabel={mappingLabels.save}
        cancelLabel={mappingLabels.close}
        error={mappings.error}
        progress={mappings.progress === null ? null : progressText(mappings.progress)}
        isBusy={mappings.isSaving}
        onSubmit={() => void save()}
        onCancel={close}
      >
        <Names rows={rows ?? []} words={words} />
        <TypeAhead
          label={words.targetHead}
          chosen={chosen}
          onChoose={setChosen}
          search={mappings.search}
          debounceMs={words.debounceMs}
          isFirst
        />
      </DialogForm>
    </Modal>
  );
});

/** Asks before mappings are deleted; what is not mapped among the selected is left alone. */
export const DeleteDialog = memo(function DeleteDialog({ words, rows, mappings, onClose, onDone }: DialogProps) {
  const mapped = (rows ?? []).filter(({ xref }) => xref !== null);
  const close = () => {
    mappings.clearError();
    onClose();
  };
  const remove = async () => {
    if (mapped.length > 0 && (await mappings.save(mapped.map((row) => ({ row, target: null }))))) onDone();
  };
  return (
    <Modal opened={rows !== null} onClose={close} title={words.deleteTitle} size={480}>
      <DialogForm
        submitLabel={mappingLabels.delete}
        cancelLabel={mappingLabels.close}
        isDanger
        error={mappings.error}
        progress={mappings.progress === null ? null : progressText(mappings.progress)}
        isBusy={mappings.isSaving}
        onSubmit={() => void remove()}
        onCancel={close}
      >
        <p>{deleteQuestion(mapped.length)}</p>
        {mapped.length > 0 && <Names rows={mapped} words={words} />}
      </DialogForm>
    </Modal>
  );
});

/** The records that a question is about: each name keeps its own direction among the others. */
function Names({ rows, words }: { rows: readonly MappingRowReply[]; words: NamespaceWords }) {
  const { shown, others } = summaryOf(rows, words);
  return (
    <p className={styles.names}>
      {shown.map(({ source_value: value, label, distinction }, at) => (
        <Fragment key={value}>
          {at > 0 && ', '}
          <bdi>{label}</bdi>
          {distinction !== null && ` (${distinction})`}
        </Fragment>
      ))}
      {others !== null && ` ${others}`}
    </p>
  );
}

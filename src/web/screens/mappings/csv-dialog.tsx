import { useState } from 'react';
import { searchMappingTargets, type MappingRowReply } from '#contract/mappings.ts';
import { call } from '../../lib/call.ts';
import { saveFile } from '../../lib/download.ts';
import { Button } from '../../ui/button.tsx';
import { DialogForm } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Modal } from '../../ui/modal.tsx';
import type { CsvPreview } from './csv.ts';
import type { NamespaceWords } from './namespaces.ts';
import { progressText } from './parts.ts';
import styles from './mappings.module.css';
import { targetOf } from './rows.ts';
import type { Mappings } from './use-mappings.ts';
import { andMore, fieldWords, fileWords, mappingLabels } from './words.ts';

/** Far more than any file of mappings. */
const mostBytes = 5_000_000;
const allTargets = 20_000;
const mostShown = 8;

/**
 * Mappings out into a file and in from one: what would change is shown first, what is wrong stands by its line, and as
 * long as anything is wrong nothing can be saved.
 */
export function CsvDialog({
  words,
  rows,
  isOpen,
  mappings,
  onClose,
}: {
  words: NamespaceWords;
  rows: readonly MappingRowReply[];
  isOpen: boolean;
  mappings: Mappings;
  onClose: () => void;
}) {
  const [preview, setPreview] = useState<CsvPreview | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { namespace } = words;
  const close = () => {
    setPreview(null);
    setProblem(null);
    mappings.clearError();
    onClose();
  };
  const read = async (file: File) => {
    setPreview(null);
    setProblem(null);
    if (file.size > mostBytes) return setProblem(fileWords.tooLarge);
    try {
      const [{ fromCsv }, text, { data }] = await Promise.all([
        import('./csv.ts'),
        file.text(),
        call(searchMappingTargets, { params: { namespace }, query: { limit: allTargets } }),
      ]);
      return setPreview(fromCsv(text, rows, data.options));
    } catch (error) {
      return setProblem(error instanceof Error ? error.message : fileWords.unreadable);
    }
  };
  const save = async () => {
    if (preview !== null && preview.errors.length === 0 && preview.changes.length > 0)
      if (await mappings.save(preview.changes)) close();
  };
  return (
    <Modal opened={isOpen} onClose={close} title={fileWords.title} size={640}>
      <DialogForm
        submitLabel={preview === null ? mappingLabels.save : fileWords.save(preview.changes.length)}
        cancelLabel={mappingLabels.close}
        error={problem ?? mappings.error}
        progress={mappings.progress === null ? null : progressText(mappings.progress)}
        isBusy={mappings.isSaving}
        isDisabled={
          mappings.isReadOnly || preview === null || preview.errors.length > 0 || preview.changes.length === 0
        }
        onSubmit={() => void save()}
        onCancel={close}
      >
        <div className={styles.fileRow}>
          <p>{fileWords.about(words.many)}</p>
          <Button
            variant="default"
            onClick={() =>
              void import('./csv.ts').then(({ toCsv }) =>
                saveFile(new Blob([`\uFEFF${toCsv(rows)}`], { type: 'text/csv' }), `${namespace}-mappings.csv`),
              )
            }
          >
            {fileWords.out}
          </Button>
        </div>
        <label className={styles.file}>
          {fileWords.in}
          <input
            type="file"
            accept=".csv,text/csv"
            onChange={({ currentTarget }) => {
              const file = currentTarget.files?.[0];
              if (file !== undefined) void read(file);
            }}
          />
        </label>
        {preview !== null && <Preview preview={preview} />}
      </DialogForm>
    </Modal>
  );
}

function Preview({ preview: { changes, unchanged, errors } }: { preview: CsvPreview }) {
  if (errors.length > 0)
    return (
      <Notice tone="bad" role="alert">
        {fileWords.refused(errors.length)}
        <ul className={styles.deeds}>
          {errors.slice(0, mostShown).map(({ line, text }) => (
            <li key={line}>{mappingLabels.lineSays(line, text)}</li>
          ))}
          {errors.length > mostShown && <li>{andMore(errors.length - mostShown)}</li>}
        </ul>
      </Notice>
    );
  return (
    <Notice tone="info" role="status">
      {changes.length === 0 ? fileWords.unchanged : fileWords.changes(changes.length, unchanged)}
      <ul className={styles.deeds}>
        {changes.slice(0, mostShown).map(({ row, target }) => (
          <li key={row.source_value}>
            <bdi>{row.label}</bdi>:{' '}
            <bdi>{row.xref === null ? fieldWords.notMapped : targetOf(row) || row.xref.target_value}</bdi> →{' '}
            <bdi>{target?.text ?? fieldWords.notMapped}</bdi>
          </li>
        ))}
        {changes.length > mostShown && <li>{andMore(changes.length - mostShown)}</li>}
      </ul>
    </Notice>
  );
}

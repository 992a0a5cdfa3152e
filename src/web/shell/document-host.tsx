import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useLocation } from 'react-router';
import { submittableKinds } from '#core/kinds.ts';
import { type DocumentPlace, DocumentOpenerContext, keyOfPlace } from '../components/document-link.tsx';
import { loadLater, OnDemand } from '../components/load-later.tsx';

const DocumentPanel = loadLater(async () => (await import('../screens/documents/document-panel.tsx')).DocumentPanel);

interface Open {
  readonly key: string;
  /** Documents of the same list, in its order. */
  readonly keys: readonly string[];
  /** Another page closes the panel. */
  readonly pathname: string;
}

/**
 * Shows the document of a list in a side panel. The list itself knows nothing of the panel: the links in it are the
 * documents to walk through.
 */
export function DocumentHost({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  const [last, setOpen] = useState<Open | null>(null);
  const open = last?.pathname === pathname ? last : null;
  const openKey = useCallback((key: string) => setOpen({ key, keys: listedWith(key), pathname }), [pathname]);
  const value = useMemo(
    () => ({ open: open?.key ?? null, openBeside: (place: DocumentPlace) => openKey(keyOfPlace(place)) }),
    [open?.key, openKey],
  );
  return (
    <DocumentOpenerContext value={value}>
      {children}
      <OnDemand isNeeded={open !== null}>
        <DocumentPanel
          place={open === null ? null : placeOfKey(open.key)}
          keys={open?.keys ?? []}
          onOpen={openKey}
          onClose={() => setOpen(null)}
        />
      </OnDemand>
    </DocumentOpenerContext>
  );
}

/** Returns the documents of the list that shows a document, each once, in the order on the screen. */
function listedWith(key: string): readonly string[] {
  const link = document.querySelector(`main a[data-document="${CSS.escape(key)}"]`);
  const list = link?.closest('table, ul, [role="tabpanel"]') ?? document.querySelector('main');
  const links = [...(list?.querySelectorAll<HTMLElement>('a[data-document]') ?? [])];
  return [...new Set(links.flatMap(({ dataset }) => dataset['document'] ?? []))];
}

function placeOfKey(key: string): DocumentPlace | null {
  const [kind, id] = key.split(' ');
  const known = submittableKinds.find((one) => one === kind);
  return known === undefined ? null : { kind: known, id: Number(id) };
}

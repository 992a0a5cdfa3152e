import type { ComponentType } from 'react';

/**
 * A part that uses the component library, wrapped in the library; both are loaded in parallel.
 *
 * @param load loads the part; called again only after a failure.
 */
export function inLibrary<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): () => Promise<ComponentType<Props>> {
  let made: ComponentType<Props> | null = null;
  return async () => {
    const [Part, { Library }] = await Promise.all([load(), import('./library.tsx')]);
    made ??= (props: Props) => (
      <Library>
        <Part {...props} />
      </Library>
    );
    return made;
  };
}

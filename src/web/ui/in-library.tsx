import type { ComponentType } from 'react';

/**
 * A part that is made of the component library, with the library around it: both are loaded side by side.
 *
 * @param load loads the part; asked for again only when it failed.
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

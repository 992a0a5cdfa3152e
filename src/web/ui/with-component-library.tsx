import type { ComponentType } from 'react';

/**
 * A part that uses the component library, wrapped in the library; both are loaded in parallel.
 *
 * @param load loads the part; called again only after a failure.
 */
export function withComponentLibrary<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): () => Promise<ComponentType<Props>> {
  let made: ComponentType<Props> | null = null;
  return async () => {
    const [Part, { ComponentLibrary }] = await Promise.all([load(), import('./component-library.tsx')]);
    made ??= (props: Props) => (
      <ComponentLibrary>
        <Part {...props} />
      </ComponentLibrary>
    );
    return made;
  };
}

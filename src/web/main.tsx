import './ui/font.css';
import './ui/tokens.css';
import './ui/page.css';
import './lib/sign-on-code.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ErrorBoundary } from './lib/router.tsx';
import { loadEnvironment } from './lib/environment.ts';
import { CrashPage } from './shell/crash-page.tsx';
import { Root } from './shell/root.tsx';
import { showScreens } from './shell/router.ts';
import { followColorScheme } from './ui/color-scheme.ts';

void loadEnvironment();
followColorScheme();
showScreens();

const root = document.getElementById('root');
if (root === null) throw new Error('Impossible: the page has no #root');
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary fallback={<CrashPage />}>
      <Root />
    </ErrorBoundary>
  </StrictMode>,
);

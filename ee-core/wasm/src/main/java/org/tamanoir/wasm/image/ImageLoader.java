package org.tamanoir.wasm.image;

import java.util.HashMap;
import java.util.Map;

/** Defines the classes of one image. They see each other, and what {@link ClassFilter} lets them. */
final class ImageLoader extends ClassLoader {
    private final Map<String, byte[]> files = new HashMap<>();

    /** @param classes by their names with slashes */
    ImageLoader(Map<String, byte[]> classes) {
        super("tamanoir-module", ImageLoader.class.getClassLoader());
        classes.forEach((name, file) -> files.put(name.replace('/', '.'), file));
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            if (name.startsWith(ClassFilter.PREFIX)) {
                Class<?> known = findLoadedClass(name);
                return known == null ? findClass(name) : known;
            }
            if (!ClassFilter.allows(name.replace('.', '/'))) {
                throw new ClassNotFoundException(name + ", which is not for modules");
            }
            return super.loadClass(name, resolve);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] file = files.remove(name);
        if (file == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, file, 0, file.length);
    }
}

module tamanoir.org/tell

go 1.24

require github.com/proxy-wasm/proxy-wasm-go-sdk v0.0.0-20250212164326-ab4161dcf924

require github.com/tetratelabs/wazero v1.7.2 // indirect
